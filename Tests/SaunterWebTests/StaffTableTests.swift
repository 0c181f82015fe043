import SaunterCore
import Testing

@testable import SaunterWeb

/// A table of a staff page and its CSV file.
@Suite struct StaffTableTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private static func table(_ rows: [[StaffTable.Cell]], next: String? = nil) -> StaffTable {
        StaffTable(
            name: "studies", caption: "Studies",
            columns: [
                .init(title: "Study"), .init(title: "Enrolled", sort: "enrolled", isNumber: true),
                .init(title: "Last"),
            ],
            rows: rows, filters: [.init(name: "q", title: "Find")], asOf: now, next: next)
    }

    private static func query(_ values: [String: String]) -> StaffQuery {
        StaffQuery(path: "/staff", filters: ["q"], values: values)
    }

    private static func model(_ table: StaffTable, _ query: StaffQuery) throws -> [String: Any] {
        table.model(query, try #require(try Words(WebFiles(folder: nil)).languages.first))
    }

    private static let rows: [[StaffTable.Cell]] = [
        [.link("Walking, \"slowly\"", address: "/staff/w"), .number(12), .moment(now)],
        [.text("=1+1"), .number(nil), .moment(nil)],
    ]

    @Test func `the file has the rows and columns of the page, and no formula`() throws {
        let text = String(decoding: Self.table(Self.rows).csv.dropFirst(3), as: UTF8.self)

        #expect(
            text == """
                Study,Enrolled,Last
                "Walking, ""slowly""\",12,2026-11-21T17:30:00.000Z
                '=1+1,,

                """)
    }

    @Test func `a column of acts is on the page and not in the file`() throws {
        var table = Self.table([[.text("Walking"), .number(12), .link("Remove", address: "/remove")]])
        table.columns[2].isAction = true
        let rows = try Self.model(table, Self.query([:]))["rows"] as? [[String: [[String: Any]]]]

        #expect(rows?.first?["cells"]?.last?["link"] as? String == "/remove")
        #expect(String(decoding: table.csv.dropFirst(3), as: UTF8.self) == "Study,Enrolled\nWalking,12\n")
    }

    @Test func `every row of the page is named by its first cell`() throws {
        let rows = try #require(
            try Self.model(Self.table(Self.rows), Self.query([:]))["rows"] as? [[String: [[String: Any]]]])

        #expect(rows.map { $0["head"]?.first?["text"] as? String } == ["Walking, \"slowly\"", "=1+1"])
        #expect(
            rows.map { $0["cells"]?.compactMap { $0["text"] as? String } ?? [] } == [
                ["12", "–"], ["–", "–"],
            ])
    }

    @Test func `a column sorts ascending first, then descending, and keeps the filter`() throws {
        func heading(_ sort: String) throws -> [String: Any] {
            let query = Self.query(["q": "a b", "sort": sort, "cursor": "c"])
            let columns = try Self.model(Self.table([]), query)["columns"] as? [[String: Any]]
            return try #require(columns?[1])
        }

        #expect(try heading("")["sort_address"] as? String == "/staff?q=a%20b&sort=enrolled")
        #expect(try heading("enrolled")["sort_address"] as? String == "/staff?q=a%20b&sort=-enrolled")
        #expect(try heading("enrolled")["sorted"] as? String == "ascending")
        #expect(try heading("-enrolled")["sorted"] as? String == "descending")
        #expect(try heading("")["sorted"] == nil)
    }

    @Test func `a column that the rows are sorted by without a choice sorts descending next`() throws {
        var table = Self.table([])
        table.usualSort = "enrolled"

        let model = try Self.model(table, Self.query([:]))

        let column = try #require((model["columns"] as? [[String: Any]])?[1])
        #expect(column["sort_address"] as? String == "/staff?sort=-enrolled")
        #expect(column["sorted"] as? String == "ascending")
        let orders = try #require(model["orders"] as? [[String: Any]])
        #expect(orders.compactMap { $0["value"] as? String } == ["enrolled", "-enrolled"])
        #expect(orders.compactMap { $0["selected"] as? Bool } == [true, false])
    }

    @Test func `a percentage is a text and a bar on the page, and a number in the file`() throws {
        let table = Self.table([
            [.text("a"), .percent(81.8), .text("")], [.text("b"), .percent(nil), .text("")],
        ])

        let text = String(decoding: table.csv.dropFirst(3), as: UTF8.self)
        #expect(text == "Study,Enrolled,Last\na,81.8,\nb,,\n")
        let rows = try #require(
            try Self.model(table, Self.query([:]))["rows"] as? [[String: [[String: Any]]]])
        #expect(rows.map { $0["cells"]?.first?["text"] as? String } == ["81.8 %", "–"])
        #expect(rows.map { $0["cells"]?.first?["bar"] as? String } == ["81.8", nil])
    }

    @Test func `the page shows the words of a code, and the file has the code`() throws {
        let table = Self.table([
            [.code("pss_10", words: "Stress"), .number(1), .code("2026-11-21", words: "21 Nov")]
        ])

        let rows = try #require(
            try Self.model(table, Self.query([:]))["rows"] as? [[String: [[String: Any]]]])
        #expect(rows.first?["head"]?.first?["text"] as? String == "Stress")
        #expect(rows.first?["cells"]?.last?["text"] as? String == "21 Nov")
        #expect(
            String(decoding: table.csv.dropFirst(3), as: UTF8.self)
                == "Study,Enrolled,Last\npss_10,1,2026-11-21\n")
    }

    @Test func `only an unfiltered page says that there is nothing yet`() throws {
        var table = Self.table([])
        table.emptyText = "Nothing yet."

        #expect(try Self.model(table, Self.query([:]))["empty"] as? String == "Nothing yet.")
        #expect(try Self.model(table, Self.query(["q": "x"]))["empty"] == nil)
    }

    @Test func `the file and the next page keep filter and order`() throws {
        let query = Self.query(["q": "x", "sort": "enrolled", "cursor": "c1"])

        let model = try Self.model(Self.table([], next: "c2"), query)

        #expect(model["csv"] as? String == "/staff?q=x&sort=enrolled&cursor=c1&format=csv")
        #expect(model["next"] as? String == "/staff?q=x&sort=enrolled&cursor=c2")
        #expect(model["first"] as? String == "/staff?q=x&sort=enrolled")
        #expect(model["unfiltered"] as? String == "/staff?sort=enrolled")
        #expect(query.ofRoute == "limit=50&q=x&sort=enrolled&cursor=c1")
        let plain = try Self.model(Self.table([]), Self.query([:]))
        #expect(plain["next"] == nil && plain["first"] == nil && plain["unfiltered"] == nil)
    }
}
