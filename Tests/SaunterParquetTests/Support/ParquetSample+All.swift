import SaunterParquet

extension ParquetSample {
    /// All types, empty and full, small and large, plain and compressed.
    static var all: [ParquetSample] {
        [
            ParquetSample(name: "empty", columns: everything, rows: [], groups: 0),
            ParquetSample(name: "one_row", columns: everything, rows: rows(1)),
            ParquetSample(
                name: "one_null_row", columns: everything, rows: [everything.map { _ in nil }],
                metadata: [("saunter.study", "garden"), ("words", "Grüße, 散歩 🚶")]),
            ParquetSample(
                name: "required",
                columns: everything.map { ParquetColumn($0.name, $0.type, isRequired: true) },
                rows: rows(300, nullEvery: nil)),
            ParquetSample(name: "many_rows", columns: everything, rows: rows(3000)),
            ParquetSample(
                name: "many_rows_gzip", columns: everything, rows: rows(3000), compression: .gzip),
            ParquetSample(
                name: "many_groups", columns: everything, rows: rows(1001), limits: limits(groupRows: 100),
                groups: 11),
            ParquetSample(
                name: "groups_by_bytes", columns: [ParquetColumn("x", .int64)],
                rows: (0..<100).map { [.int64($0)] }, limits: limits(groupBytes: 80), groups: 10),
            ParquetSample(
                name: "many_pages", columns: everything, rows: rows(1000), limits: limits(pageRows: 7)),
            ParquetSample(
                name: "many_pages_gzip", columns: everything, rows: rows(1000), compression: .gzip,
                limits: limits(pageRows: 64)),
            ParquetSample(
                name: "dictionary_overflow", columns: everything, rows: rows(2000),
                limits: limits(pageRows: 300, dictionaryBytes: 200)),
            ParquetSample(
                name: "dictionary_overflow_within_a_page", columns: everything, rows: rows(2000),
                limits: limits(dictionaryBytes: 900)),
            ParquetSample(
                name: "no_dictionary", columns: everything, rows: rows(500),
                limits: limits(dictionaryBytes: 0)),
            ParquetSample(
                name: "pages_by_bytes", columns: [ParquetColumn("long", .string)],
                rows: (0..<60).map { [.string(String(repeating: "walk \($0) ", count: $0))] },
                limits: limits(pageBytes: 1000)),
            ParquetSample(
                name: "nulls_then_values",
                columns: [ParquetColumn("x", .string), ParquetColumn("y", .int64)],
                rows: (0..<100).map { $0 < 50 ? [nil, .int64(4)] : [.string("later"), nil] },
                limits: limits(pageRows: 10)),
            extremes, unicode, times, endlessTimes,
        ]
    }

    private static let everything: [ParquetColumn] = [
        ParquetColumn("flag", .boolean), ParquetColumn("small", .int32), ParquetColumn("large", .int64),
        ParquetColumn("number", .double), ParquetColumn("words", .string), ParquetColumn("day", .date),
        ParquetColumn("at", .timestamp(.milliseconds, isUTC: true)),
        ParquetColumn("at_us", .timestamp(.microseconds, isUTC: true)),
        ParquetColumn("clock", .timestamp(.milliseconds, isUTC: false)),
        ParquetColumn("clock_us", .timestamp(.microseconds, isUTC: false)),
    ]

    /// Runs, repetitions and distinct values, with nulls between them.
    private static func rows(_ count: Int, nullEvery: Int? = 5) -> [[ParquetValue?]] {
        (0..<count).map { row in
            everything.enumerated().map { index, column in
                if let nullEvery, (row + index) % nullEvery == 4 { return nil }
                let number = row * (index + 1)
                switch column.name {
                case "flag": return .boolean(row / 13 % 2 == 0)
                case "small": return .int32(Int32(number % 9 - 4))
                case "large": return .int64(Int64(number) * 10_000_000_019)
                case "number": return .double(Double(number % 97) / 7)
                case "words": return .string(row % 40 < 30 ? "word \(row / 20)" : "word \(row)")
                case "day": return .int32(Int32(20_000 + row / 30))
                case "clock_us", "at_us": return .int64(1_770_000_000_000_000 + Int64(number) * 1_001)
                default: return .int64(1_770_000_000_000 + Int64(number) * 1_001)
                }
            }
        }
    }

    private static var extremes: ParquetSample {
        let doubles: [Double] = [
            .nan, .infinity, -.infinity, 0.0, -0.0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .pi, 0.1 + 0.2,
        ]
        let integers: [Int64] = [
            .min, .max, 0, -1, 1, .min + 1, .max - 1, 1 << 31, -(1 << 31), 1 << 32, 1 << 53, 9,
        ]
        return ParquetSample(
            name: "extremes",
            columns: [
                ParquetColumn("number", .double), ParquetColumn("large", .int64),
                ParquetColumn("small", .int32),
                ParquetColumn("nan", .double), ParquetColumn("zero", .double),
            ],
            rows: zip(doubles, integers).map { double, integer in
                [
                    .double(double), .int64(integer), .int32(Int32(clamping: integer)), .double(.nan),
                    .double(double.isNaN ? -0.0 : 0.0),
                ]
            })
    }

    private static var unicode: ParquetSample {
        let texts = [
            "", " ", "Grüße", "散歩", "🚶🏽‍♀️", "e\u{301}", "\u{E9}", "a\u{0}b", "\u{FEFF}bom",
            "\"quoted\", with\nlines\r\n",
            "\u{10FFFF}", "ﷺ", "مرحبا", String(repeating: "ä", count: 5000),
        ]
        return ParquetSample(
            name: "unicode", columns: [ParquetColumn("text", .string), ParquetColumn("Spalte ü", .string)],
            rows: texts.map { [.string($0), .string(String($0.prefix(2)))] })
    }

    /// The years that all readers support.
    private static var times: ParquetSample {
        let first: Int64 = -62_135_596_800_000
        let last: Int64 = 253_402_300_799_999
        return ParquetSample(
            name: "times",
            columns: everything.filter { $0.name.hasPrefix("at") || $0.name.hasPrefix("clock") }
                + [ParquetColumn("day", .date)],
            rows: [first, -1, 0, 1, last].map { at in
                let micros = at * 1000
                return [
                    .int64(at), .int64(micros), .int64(at), .int64(micros),
                    .int32(Int32((Double(at) / 86_400_000).rounded(.down))),
                ]
            })
    }

    private static var endlessTimes: ParquetSample {
        ParquetSample(
            name: "pyarrow_only_times",
            columns: [
                ParquetColumn("at", .timestamp(.milliseconds, isUTC: true)),
                ParquetColumn("clock", .timestamp(.microseconds, isUTC: false)), ParquetColumn("day", .date),
            ],
            rows: [
                [.int64(.min), .int64(.min), .int32(.min)], [.int64(.max), .int64(.max), .int32(.max)],
            ])
    }

    private static func limits(
        groupRows: Int = 1 << 17, groupBytes: Int = 1 << 26, pageRows: Int = 20_000, pageBytes: Int = 1 << 20,
        dictionaryBytes: Int = 1 << 21
    ) -> ParquetLimits {
        var limits = ParquetLimits()
        limits.groupRows = groupRows
        limits.groupBytes = groupBytes
        limits.pageRows = pageRows
        limits.pageBytes = pageBytes
        limits.dictionaryBytes = dictionaryBytes
        return limits
    }
}
