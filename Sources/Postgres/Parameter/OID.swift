/// The number that identifies a PostgreSQL type.
package struct OID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number of the type.
    package let rawValue: UInt32

    /// Creates an OID from its number.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Creates an OID from its number.
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Only the number, because only the server knows the names of all types.
    package var description: String {
        "oid \(rawValue)"
    }
}

/// The built-in types that this client sends or reads. The numbers are those of `pg_type.dat`. They never change.
extension OID {
    /// The server infers the type of the parameter.
    package static let unspecified = OID(0)
    package static let bool = OID(16)
    package static let bytea = OID(17)
    package static let name = OID(19)
    package static let int8 = OID(20)
    package static let int2 = OID(21)
    package static let int4 = OID(23)
    package static let text = OID(25)
    package static let oid = OID(26)
    package static let json = OID(114)
    package static let float4 = OID(700)
    package static let float8 = OID(701)
    package static let unknown = OID(705)
    package static let bpchar = OID(1042)
    package static let varchar = OID(1043)
    package static let date = OID(1082)
    package static let timestamp = OID(1114)
    package static let timestamptz = OID(1184)
    package static let numeric = OID(1700)
    package static let uuid = OID(2950)
    package static let jsonb = OID(3802)
    package static let void = OID(2278)

    package static let jsonArray = OID(199)
    package static let boolArray = OID(1000)
    package static let byteaArray = OID(1001)
    package static let nameArray = OID(1003)
    package static let int2Array = OID(1005)
    package static let int4Array = OID(1007)
    package static let textArray = OID(1009)
    package static let varcharArray = OID(1015)
    package static let int8Array = OID(1016)
    package static let float4Array = OID(1021)
    package static let float8Array = OID(1022)
    package static let dateArray = OID(1182)
    package static let timestamptzArray = OID(1185)
    package static let numericArray = OID(1231)
    package static let uuidArray = OID(2951)
    package static let jsonbArray = OID(3807)

    /// The first number of user-defined types, such as enums and types of extensions. Smaller numbers are built-in
    /// types.
    package static let firstUserDefined: UInt32 = 16384
}
