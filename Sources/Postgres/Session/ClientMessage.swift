/// Formats the messages of libpq.
enum ClientMessage {
    /// Returns the message as one line with single spaces.
    static func text(_ message: UnsafePointer<CChar>) -> String {
        unsafe String(cString: message)
            .split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }
}
