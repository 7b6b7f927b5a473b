"""The device that an example runs on: --device auto (the GPU where there is one), cuda or cpu.

What runs on the CPU says so once: to whoever measures it, else on standard error.
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
    """The torch.device that `asked` means here; ends the program when there is none."""
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
    """Returns once the device has done all that it was given: only then a minibatch has ended."""
    if device.type == "cuda":
        torch.cuda.synchronize()
