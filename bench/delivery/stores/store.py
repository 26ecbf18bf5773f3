"""What every row has."""


class Store:
    name = title = None
    # Whether what is sent twice is stored once, with Duramen's configuration of this row.
    has_key = True
    # Parts of the message that the server refuses.
    refused = {"program": "large"}
    # Which messages these are, and how that is mended, in words.
    refusal = mend_words = None
    # How the server ends and starts again.
    fault = "kill -9"

    def __init__(self):
        self.component = self.make()
        self.prepare()

    def make(self):
        """The server, started."""
        raise NotImplementedError

    def prepare(self):
        """Makes the table, the topic, the queue."""

    def values(self):
        """What the configurations of this store need to know."""
        return {"SERVER_PORT": self.component.port}

    def values_of_mend(self):
        """Values that change with the mend, for a server that can load its configuration again."""
        return {}

    def kill(self):
        self.component.kill()

    def start(self):
        self.component.start()

    def stored(self):
        """How many messages there are, doubles included. Only rivals need it."""
        raise NotImplementedError

    def census(self):
        """The number of each message that is there, as often as it is there."""
        raise NotImplementedError

    def mend(self):
        """Removes the cause of the refusals."""

    def close(self):
        self.component.close()
