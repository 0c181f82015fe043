/// A value for `$1`, `$2`, … with its type, in PostgreSQL's binary format. Its descriptions never contain the value.
///
/// The client sends the type with the value. Therefore a text parameter for a type such as an enum or `interval` needs
/// a cast in the SQL (`$1::interval`). `where integer_column = $1` accepts every integer width.
package struct Parameter: Sendable {
    /// The content that is sent to the server.
    enum Payload: Sendable {
        case null
        case bytes([UInt8])
        /// A value that cannot be sent, with the reason. The error is thrown when the parameter is sent, so that
        /// creating a parameter does not throw.
        case invalid(String)
    }

    /// The type that the client sends to the server.
    package let type: OID
    let payload: Payload

    init(_ type: OID, _ payload: Payload) {
        self.type = type
        self.payload = payload
    }

    /// Whether the parameter is NULL.
    package var isNull: Bool {
        if case .null = payload { true } else { false }
    }
}

extension Parameter: CustomStringConvertible, CustomReflectable {
    /// Only the type.
    package var description: String {
        "parameter of \(type)"
    }

    /// Empty, so that `dump` and test failures do not print health data.
    package var customMirror: Mirror {
        Mirror(self, children: [])
    }
}
