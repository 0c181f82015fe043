/// A value for `$1`, `$2`, … with its type, already in PostgreSQL's binary form. Never shows its value.
///
/// The type is sent with the value, so a text parameter for an enum, interval or the like needs a cast in the
/// SQL (`$1::interval`), and `where integer_column = $1` takes any integer width.
package struct Parameter: Sendable {
    /// What goes over the wire.
    enum Payload: Sendable {
        case null
        case bytes([UInt8])
        /// Found unsendable when made; reported when sent, so that making a parameter need not throw.
        case refused(String)
    }

    /// What the server is told that it is.
    package let type: OID
    let payload: Payload

    init(_ type: OID, _ payload: Payload) {
        self.type = type
        self.payload = payload
    }

    /// The parameter is NULL.
    package var isNull: Bool {
        if case .null = payload { true } else { false }
    }
}

extension Parameter: CustomStringConvertible, CustomReflectable {
    /// The type alone.
    package var description: String {
        "parameter of \(type)"
    }

    /// Nothing, so that `dump` and test failures do not print health data.
    package var customMirror: Mirror {
        Mirror(self, children: [])
    }
}
