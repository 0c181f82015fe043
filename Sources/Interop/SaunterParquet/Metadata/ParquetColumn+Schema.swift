extension ParquetColumn {
    /// `SchemaElement`: the physical type, and the meaning as `ConvertedType` and as `LogicalType`.
    func write(to list: inout CompactProtocol) {
        list.element { element in
            element.field(1, type.physical.rawValue)
            element.field(3, Int32(isRequired ? 0 : 1))
            element.field(4, name)
            if let converted { element.field(6, converted) }
            if type.isAnnotated { element.structure(10, write(logical:)) }
        }
    }

    /// `ConvertedType`, for older readers. It cannot express a local time.
    private var converted: Int32? {
        switch type {
        case .boolean, .int32, .int64, .double, .timestamp(_, isUTC: false): nil
        case .string: 0
        case .date: 6
        case .timestamp(.milliseconds, isUTC: true): 9
        case .timestamp(.microseconds, isUTC: true): 10
        }
    }

    /// `LogicalType`.
    private func write(logical: inout CompactProtocol) {
        switch type {
        case .boolean, .int32, .int64, .double: break
        case .string: logical.structure(1)
        case .date: logical.structure(6)
        case .timestamp(let unit, let isUTC):
            logical.structure(8) { timestamp in
                timestamp.field(1, isUTC)
                timestamp.structure(2) { $0.structure(unit == .milliseconds ? 1 : 2) }
            }
        }
    }
}

extension ParquetType {
    /// Whether the type needs a logical type in addition to the physical type.
    var isAnnotated: Bool {
        switch self {
        case .boolean, .int32, .int64, .double: false
        case .string, .date, .timestamp: true
        }
    }
}
