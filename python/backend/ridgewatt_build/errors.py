class BuildError(SystemExit):
    """One line that says what is wrong and what to do. Front ends print it without a traceback."""

    def __init__(self, line):
        super().__init__(f"ridgewatt: {line}")
