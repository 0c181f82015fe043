import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// Changing the items of a collection without an editor of texts.
struct CollectionTableTests {
    private static let folder = "studies/calm/library/"
    private static let quotes = """
        # Quotes of the day.
        title: {en: Quotes, de: Zitate}
        fields: {body: text, author: text, year: integer}
        items: quotes.csv

        """
    private static let files = [
        "quotes.yaml": quotes,
        "quotes.csv": "id,year,tags\nfirst,1900,short new\nsecond,,\n",
        "quotes.en.csv": "id,body,author\nfirst,One,Ann\nsecond,\"Two, too\",\n",
        "quotes.de.csv": "id,body,author\nfirst,Eins,Ann\nsecond,Zwei,\n",
    ]

    private static func pack(_ files: [String: String]) -> PackFiles {
        PackFiles(files: Dictionary(uniqueKeysWithValues: files.map { (folder + $0.key, $0.value) }))
    }

    private static func table(_ files: [String: String], _ code: String = "quotes") throws -> CollectionTable
    {
        try #require(
            try CollectionTable(code, in: pack(files), study: "calm", languages: ["en", "de"]))
    }

    private static func written(_ table: CollectionTable, to files: [String: String]) throws -> [String:
        String]
    {
        Dictionary(
            uniqueKeysWithValues: try table.written(to: pack(files)).files.map {
                (String($0.key.dropFirst(folder.count)), $0.value)
            })
    }

    @Test func `a table has the values and words of all files`() throws {
        let table = try Self.table(Self.files)

        #expect(table.title == ["en": "Quotes", "de": "Zitate"])
        #expect(table.isEditable && table.columns == ["body", "author", "year"])
        #expect(table.items.map(\.id) == ["first", "second"])
        #expect(table.items[0].values == ["year": "1900", "tags": "short new"])
        #expect(table.items[1].words == ["en": ["body": "Two, too"], "de": ["body": "Zwei"]])
    }

    @Test func `a table without changes changes no file`() throws {
        #expect(try Self.written(Self.table(Self.files), to: Self.files) == Self.files)
    }

    @Test func `changed words change only the file of their language`() throws {
        var table = try Self.table(Self.files)
        table.items[1].words["de"]?["body"] = "Zwei, \"neu\"\nund lang"
        let files = try Self.written(table, to: Self.files)

        #expect(
            files["quotes.de.csv"]
                == "id,body,author\nfirst,Eins,Ann\nsecond,\"Zwei, \"\"neu\"\"\nund lang\",\n")
        #expect(files.filter { $0.key != "quotes.de.csv" } == Self.files.filter { $0.key != "quotes.de.csv" })
        #expect(try Self.table(files) == table)
    }

    @Test func `items are added, moved and deleted, with new columns where they are needed`() throws {
        var table = try Self.table(Self.files)
        table.items.remove(at: 0)
        table.items.insert(
            CollectionTable.Item(
                id: "third", values: ["arms": "calm", "year": ""], words: ["en": ["body": "Three"]]), at: 0)
        let files = try Self.written(table, to: Self.files)

        #expect(files["quotes.csv"] == "id,year,tags,arms\nthird,,,calm\nsecond,,,\n")
        #expect(files["quotes.en.csv"] == "id,body,author\nthird,Three,\nsecond,\"Two, too\",\n")
        #expect(files["quotes.de.csv"] == "id,body,author\nsecond,Zwei,\n")
        #expect(files["quotes.yaml"] == Self.quotes)
        #expect(try Self.table(files) == table)
    }

    @Test func `a list in YAML and words in YAML become CSV files`() throws {
        let inline = [
            "pages.yaml": """
            # Pages.
            title: {en: Pages, de: Seiten}
            items:
              - {id: welcome, tags: [a, b]}
              - id: privacy

            # Of these types.
            fields: {title: text, body: markdown}

            """,
            "pages.en.yaml":
                "welcome: {title: Hello, body: Come in}\nprivacy: {title: Privacy, body: Yours}\n",
            "pages.de.yaml": "welcome: {title: Hallo, body: Herein}\nprivacy: {title: Schutz, body: Ihrer}\n",
        ]
        var table = try Self.table(inline, "pages")
        table.items.swapAt(0, 1)
        let files = try Self.written(table, to: inline)

        #expect(
            files["pages.yaml"]
                == """
                # Pages.
                title: {en: Pages, de: Seiten}
                items: pages.csv

                # Of these types.
                fields: {title: text, body: markdown}

                """)
        #expect(files["pages.csv"] == "id,tags\nprivacy,\nwelcome,a b\n")
        #expect(files["pages.en.csv"] == "id,title,body\nprivacy,Privacy,Yours\nwelcome,Hello,Come in\n")
        #expect(files["pages.en.yaml"] == nil)
        #expect(try Self.table(files, "pages") == table)
    }

    @Test func `faults of the files are reported, and other collections do not exist`() throws {
        #expect(throws: PackFaults.self) { try Self.table(["quotes.yaml": "title: ["]) }
        #expect(throws: PackFaults.self) {
            try Self.table(["quotes.yaml": Self.quotes, "quotes.csv": "name\nfirst\n"])
        }
        for code in ["none", "quotes.en", "../study", ""] {
            #expect(
                try CollectionTable(code, in: Self.pack(Self.files), study: "calm", languages: ["en"]) == nil)
        }
        #expect(CollectionTable.codes(in: Self.pack(Self.files), study: "calm") == ["quotes"])
    }

    @Test func `the real collections stay the same, with all their items`() throws {
        let pack = try RealPacks.study("appiness")
        let codes = CollectionTable.codes(in: pack, study: "appiness")
        #expect(codes.count >= 5)
        for code in codes {
            let table = try #require(
                try CollectionTable(code, in: pack, study: "appiness", languages: ["en", "de"]))
            #expect(!table.items.isEmpty, "\(code)")
            #expect(try table.written(to: pack) == pack, "\(code)")
        }
    }
}
