/// libpq's own messages.
enum ClientMessage {
    /// One line, with single spaces.
    static func text(_ message: UnsafePointer<CChar>) -> String {
        unsafe String(cString: message)
            .split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }
}
