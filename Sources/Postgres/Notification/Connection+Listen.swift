extension Connection {
    /// Listens on channels and gives what arrives from now on. To be called once per connection, which should
    /// do little else. The sequence throws when the connection is lost; at most 4,096 notifications wait for
    /// a slow reader, and then the oldest are dropped.
    package func notifications(
        on channels: [String]
    ) async throws(DatabaseError) -> AsyncThrowingStream<Notification, any Error> {
        for channel in channels {
            try await execute(script: "LISTEN \(try Self.quoted(channel))")
        }
        return mailbox.stream
    }

    /// A channel as an identifier in quotes. PostgreSQL would cut longer names quietly.
    private static func quoted(_ channel: String) throws(DatabaseError) -> String {
        guard (1...63).contains(channel.utf8.count) else {
            throw DatabaseError(.encoding(parameter: nil, reason: "a channel's name has 1 to 63 bytes"))
        }
        let doubled = channel.split(separator: "\"", omittingEmptySubsequences: false).joined(
            separator: "\"\"")
        return "\"\(doubled)\""
    }
}
