class BuildError(SystemExit):
    """One line that says what is wrong and what to do; front ends print it without a trace."""

    def __init__(self, line):
        super().__init__(f"ridgewatt: {line}")
