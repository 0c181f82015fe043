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
    /// True or false.
    package static let bool = OID(16)
    /// Bytes.
    package static let bytea = OID(17)
    /// An identifier of the catalogue, at most 63 bytes.
    package static let name = OID(19)
    /// A signed integer of 64 bits.
    package static let int8 = OID(20)
    /// A signed integer of 16 bits.
    package static let int2 = OID(21)
    /// A signed integer of 32 bits.
    package static let int4 = OID(23)
    /// A text without a limit of its length.
    package static let text = OID(25)
    /// An unsigned integer of 32 bits that identifies an object.
    package static let oid = OID(26)
    /// JSON, stored as its text.
    package static let json = OID(114)
    /// A binary floating-point number of 32 bits.
    package static let float4 = OID(700)
    /// A binary floating-point number of 64 bits.
    package static let float8 = OID(701)
    /// A literal whose type is not determined.
    package static let unknown = OID(705)
    /// A text that is padded with spaces.
    package static let bpchar = OID(1042)
    /// A text with a maximum length.
    package static let varchar = OID(1043)
    /// A calendar date.
    package static let date = OID(1082)
    /// An instant, in microseconds.
    package static let timestamptz = OID(1184)
    /// An exact decimal number.
    package static let numeric = OID(1700)
    /// A UUID, 16 bytes.
    package static let uuid = OID(2950)
    /// JSON, stored in parsed form.
    package static let jsonb = OID(3802)

    /// An array of `json`.
    package static let jsonArray = OID(199)
    /// An array of `bool`.
    package static let boolArray = OID(1000)
    /// An array of `bytea`.
    package static let byteaArray = OID(1001)
    /// An array of `name`.
    package static let nameArray = OID(1003)
    /// An array of `int2`.
    package static let int2Array = OID(1005)
    /// An array of `int4`.
    package static let int4Array = OID(1007)
    /// An array of `text`.
    package static let textArray = OID(1009)
    /// An array of `varchar`.
    package static let varcharArray = OID(1015)
    /// An array of `int8`.
    package static let int8Array = OID(1016)
    /// An array of `float4`.
    package static let float4Array = OID(1021)
    /// An array of `float8`.
    package static let float8Array = OID(1022)
    /// An array of `date`.
    package static let dateArray = OID(1182)
    /// An array of `timestamptz`.
    package static let timestamptzArray = OID(1185)
    /// An array of `numeric`.
    package static let numericArray = OID(1231)
    /// An array of `uuid`.
    package static let uuidArray = OID(2951)
    /// An array of `jsonb`.
    package static let jsonbArray = OID(3807)

    /// The first number of user-defined types, such as enums and types of extensions. Smaller numbers are built-in
    /// types.
    package static let firstUserDefined: UInt32 = 16384
}
