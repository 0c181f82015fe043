// Today: local state of this device over the state of the server.
