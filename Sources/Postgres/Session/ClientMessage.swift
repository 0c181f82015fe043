/// libpq's own messages.
enum ClientMessage {
    /// One line, without the line break at its end.
    static func text(_ message: UnsafePointer<CChar>) -> String {
        unsafe String(cString: message)
            .split(whereSeparator: \.isNewline)
            .joined(separator: " ")
    }
}
