/// A secret that the process holds, such as a password, a token or a key. No text form shows its value: not
/// interpolation, not `dump`, and not the reflection of a type that contains it. `swift-service-lifecycle` writes that
/// reflection of each service to the log at level debug.
package struct Secret<Value: Sendable>: Sendable {
    /// The secret. Use it where it is needed, and store only the `Secret`.
    package let revealed: Value

    /// Wraps a value, so that it is not printed.
    package init(_ value: Value) {
        revealed = value
    }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same text for every value.
    package var description: String { "(hidden)" }
    /// The same text for every value.
    package var debugDescription: String { description }
    /// Shows no members, so that `dump` does not print the value.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
