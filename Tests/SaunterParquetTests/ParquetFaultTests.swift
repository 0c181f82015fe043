import Testing

@testable import SaunterParquet

@Suite struct ParquetFaultTests {
    @Test func `a file needs columns with unique names`() {
        #expect(throws: ParquetFault.noColumns) { try ParquetWriter([]) }
        #expect(throws: ParquetFault.columnTwice("x")) {
            try ParquetWriter([ParquetColumn("x", .int64), ParquetColumn("x", .string)])
        }
    }

    @Test(arguments: [
        (ParquetType.boolean, ParquetValue.int32(1)), (.int32, .int64(1)), (.int64, .int32(1)),
        (.double, .int64(1)), (.string, .boolean(true)), (.date, .int64(1)),
        (.timestamp(.milliseconds, isUTC: true), .double(1)), (.int64, .string("1")),
    ])
    func `a value of another type is rejected`(type: ParquetType, value: ParquetValue) throws {
        var writer = try ParquetWriter([ParquetColumn("x", type)])

        #expect(throws: ParquetFault.wrongType(column: "x")) { try writer.append([value]) { _ in } }
    }

    @Test func `a rejected value leaves the writer unchanged`() throws {
        var limits = ParquetLimits()
        limits.valueBytes = 3
        let columns = [ParquetColumn("key", .int64, isRequired: true), ParquetColumn("text", .string)]
        var writer = try ParquetWriter(columns, limits: limits)
        var bytes: [UInt8] = []

        #expect(throws: ParquetFault.nullInRequired(column: "key")) { try writer.addNull() }
        #expect(throws: ParquetFault.rowOfWrongLength(columns: 2)) { try writer.endRow { _ in } }
        try writer.add(Int64(1))
        #expect(throws: ParquetFault.valueTooLong(column: "text", bytes: 4, limit: 3)) {
            try writer.add("four")
        }
        #expect(throws: ParquetFault.notUTF8(column: "text")) {
            try [UInt8]([0x61, 0xC3]).withUnsafeBytes { try writer.add(utf8: $0) }
        }
        #expect(throws: ParquetFault.rowOfWrongLength(columns: 2)) { try writer.finish { _ in } }
        try writer.add("ab")
        #expect(throws: ParquetFault.rowOfWrongLength(columns: 2)) { try writer.add("ab") }
        try writer.endRow { bytes += $0 }
        try writer.finish { bytes += $0 }

        #expect(try bytes == ParquetFile.bytes(columns, [[.int64(1), .string("ab")]]))
    }

    @Test(arguments: [0, 1, 3]) func `a row needs a value for every column`(count: Int) throws {
        var writer = try ParquetWriter([ParquetColumn("x", .int64), ParquetColumn("y", .int64)])

        #expect(throws: ParquetFault.rowOfWrongLength(columns: 2)) {
            try writer.append(Array(repeating: nil, count: count)) { _ in }
        }
    }

    @Test func `no row may follow the footer`() throws {
        var writer = try ParquetWriter([ParquetColumn("x", .int64)])
        try writer.finish { _ in }

        #expect(throws: ParquetFault.closed) { try writer.append([nil]) { _ in } }
        #expect(throws: ParquetFault.closed) { try writer.finish { _ in } }
    }

    @Test func `after an error of the sink the file cannot be finished`() throws {
        struct DiskFull: Error {}
        var limits = ParquetLimits()
        limits.groupRows = 1
        var writer = try ParquetWriter([ParquetColumn("x", .int64)], limits: limits)

        #expect(throws: DiskFull.self) { try writer.append([.int64(1)]) { _ in throw DiskFull() } }
        #expect(throws: ParquetFault.closed) { try writer.append([.int64(2)]) { _ in } }
        #expect(throws: ParquetFault.closed) { try writer.finish { _ in } }
    }

    @Test func `sizes that the format cannot express are rejected`() throws {
        #expect(try ParquetFault.checked(Int(Int32.max), "the size") == .max)
        #expect(throws: ParquetFault.tooLarge("the size", 1 << 31)) {
            try ParquetFault.checked(1 << 31, "the size")
        }
    }
}
