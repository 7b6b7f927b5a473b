"""The networks of the profiling examples in plain PyTorch, in their published sizes.

`NETWORKS[name]` is (constructor, shape of one sample, classes, kind of input).
"""
import torch
from torch import nn


def convolution(inputs, outputs, kernel=3, stride=1, groups=1, activation=nn.ReLU):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
              nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, activation(inplace=True)) if activation else nn.Sequential(*layers)


def lenet():
    """LeCun et al. 1998, with ReLU and max pooling."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
        nn.Linear(84, 10))


def alexnet():
    """The single-tower AlexNet (Krizhevsky 2014)."""
    def pooled(*layers):
        return [*layers, nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)]
    return nn.Sequential(
        *pooled(nn.Conv2d(3, 64, 11, 4, 2)), *pooled(nn.Conv2d(64, 192, 5, padding=2)),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(inplace=True),
        nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True),
        *pooled(nn.Conv2d(256, 256, 3, padding=1)), nn.Flatten(),
        nn.Dropout(), nn.Linear(9216, 4096), nn.ReLU(inplace=True),
        nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, 1000))


class Residual(nn.Module):
    """x + f(x), with a projection of x if the shapes differ."""
    def __init__(self, body, projection=None, after=None):
        super().__init__()
        self.body, self.projection = body, projection or nn.Identity()
        self.after = after or nn.Identity()

    def forward(self, x):
        return self.after(self.projection(x) + self.body(x))


def resnet18():
    """He et al. 2016."""
    def block(inputs, outputs, stride):
        body = nn.Sequential(convolution(inputs, outputs, 3, stride),
                             convolution(outputs, outputs, activation=None))
        same = inputs == outputs and stride == 1
        return Residual(body, None if same else convolution(inputs, outputs, 1, stride, activation=None),
                        nn.ReLU(inplace=True))
    layers = [convolution(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    width = 64
    for outputs in (64, 128, 256, 512):
        layers += [block(width, outputs, 1 if outputs == 64 else 2), block(outputs, outputs, 1)]
        width = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def mobilenet_v2():
    """Sandler et al. 2018."""
    def block(inputs, outputs, stride, expansion):
        hidden = inputs * expansion
        widen = [convolution(inputs, hidden, 1, activation=nn.ReLU6)] if expansion > 1 else []
        body = nn.Sequential(*widen, convolution(hidden, hidden, 3, stride, hidden, nn.ReLU6),
                             convolution(hidden, outputs, 1, activation=None))
        return Residual(body) if stride == 1 and inputs == outputs else body
    layers, width = [convolution(3, 32, 3, 2, activation=nn.ReLU6)], 32
    for expansion, outputs, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                              (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            layers.append(block(width, outputs, stride if i == 0 else 1, expansion))
            width = outputs
    return nn.Sequential(*layers, convolution(320, 1280, 1, activation=nn.ReLU6),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1280, 1000))


class Bert(nn.Module):
    """An encoder in the size of BERT-base (Devlin et al. 2019) with a classifier on the first
    token."""
    def __init__(self, layers=12, width=768, heads=12, words=30522, length=512):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.encoder(self.words(tokens) + self.places(places))[:, 0])


class Lstm(nn.Module):
    """A two-layer LSTM language model (Zaremba et al. 2014, medium). Returns the logits of the last
    word."""
    def __init__(self, words=10000, width=650):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.memory = nn.LSTM(width, width, 2, batch_first=True)
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.memory(self.words(tokens))[0][:, -1])


IMAGE = (3, 224, 224)
NETWORKS = {
    "lenet": (lenet, (1, 28, 28), 10, "image"),
    "alexnet": (alexnet, IMAGE, 1000, "image"),
    "mobilenet_v2": (mobilenet_v2, IMAGE, 1000, "image"),
    "resnet18": (resnet18, IMAGE, 1000, "image"),
    "bert": (Bert, (128,), 2, 30522),
    "lstm": (Lstm, (35,), 10000, 10000),
}
