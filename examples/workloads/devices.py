"""The device of an example: --device auto (the GPU if there is one), cuda or cpu.

An example on the CPU reports this once, to the program that measures it or else on standard error.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import ridgewatt  # noqa: E402


def add_device_option(parser):
    parser.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto",
                        help="auto: the GPU where PyTorch finds one")


def program():
    return os.path.basename(sys.argv[0])


def say(text):
    ridgewatt.note(text)
    if not os.environ.get("RIDGEWATT_MARK_FD"):
        print(f"{program()}: {text}", file=sys.stderr)


def choose_device(torch, asked):
    """Returns the torch.device for the option `asked`. Exits with an error if there is none."""
    if asked != "cpu" and torch.cuda.is_available():
        ridgewatt.note(f"runs on {torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
        return torch.device("cuda")
    if asked == "cuda":
        sys.exit(f"{program()}: --device cuda: PyTorch {torch.__version__} finds no CUDA device; "
                 "'auto' and 'cpu' run on the CPU")
    why = "as asked" if asked == "cpu" else "no CUDA device"
    say(f"runs on the CPU ({why}), PyTorch {torch.__version__}")
    return torch.device("cpu")


def synchronize(torch, device):
    """Waits until the device has completed its work, which is the end of a minibatch."""
    if device.type == "cuda":
        torch.cuda.synchronize()
