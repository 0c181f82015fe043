import Foundation
import Postgres
import SaunterCore

/// A stored value that Saunter never writes, such as an unknown time zone. Another program has changed the database.
package struct StoredValueFault: Error, CustomStringConvertible {
    /// The name of the column in the result.
    package let column: String

    /// One line that names the column, without the value.
    package var description: String { "the column \(column) contains a value that Saunter does not know" }
}

// Columns as SaunterCore's types. Each function throws if the column has another type, or a value that Saunter does not
// know.
extension Row {
    func id<Tag>(_ column: String, as: ID<Tag>.Type = ID<Tag>.self) throws -> ID<Tag> {
        ID(try get(column, as: UUID.self))
    }

    func idOptional<Tag>(_ column: String, as: ID<Tag>.Type = ID<Tag>.self) throws -> ID<Tag>? {
        try getOptional(column, as: UUID.self).map { ID($0) }
    }

    func instant(_ column: String) throws -> Instant { Instant(milliseconds: try timestamp(column)) }

    func instantOptional(_ column: String) throws -> Instant? {
        try timestampOptional(column).map { Instant(milliseconds: $0) }
    }

    func localDate(_ column: String) throws -> LocalDate { LocalDate(days: try date(column)) }

    func zone(_ column: String) throws -> Zone {
        guard let zone = Zone(try get(column, as: String.self)) else {
            throw StoredValueFault(column: column)
        }
        return zone
    }

    func value<Value: RawRepresentable>(_ column: String, as: Value.Type = Value.self) throws -> Value
    where Value.RawValue == String {
        guard let value = Value(rawValue: try get(column, as: String.self)) else {
            throw StoredValueFault(column: column)
        }
        return value
    }

    func valueOptional<Value: RawRepresentable>(_ column: String, as: Value.Type = Value.self) throws
        -> Value?
    where Value.RawValue == String {
        guard let text = try getOptional(column, as: String.self) else { return nil }
        guard let value = Value(rawValue: text) else { throw StoredValueFault(column: column) }
        return value
    }
}
