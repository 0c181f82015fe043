import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct ContentLabelsTests {
    private static func collection(_ code: String, _ fields: [ContentField], _ items: [ContentItem])
        -> ContentCollection
    {
        ContentCollection(code: code, title: [:], fields: fields, items: items)
    }

    private static func item(_ id: String, _ field: String, _ texts: [String: String]) -> ContentItem {
        ContentItem(id: id, words: texts.mapValues { [field: .text($0)] })
    }

    @Test func `a label is the title, or else the first text, in the language of the dataset`() {
        let kind = ContentField(name: "kind", kind: .code)
        let body = ContentField(name: "body", kind: .markdown)
        let author = ContentField(name: "author", kind: .text)
        let title = ContentField(name: "title", kind: .text)
        let library = Library(collections: [
            Self.collection(
                "titled", [kind, author, title, body],
                [Self.item("a", "title", ["en": "A  long\nbreath", "de": "Ein Atem"])]),
            Self.collection("plain", [kind, body, author], [Self.item("b", "author", ["en": "Seneca"])]),
            Self.collection("wordless", [kind, body], [Self.item("c", "body", ["en": "Text"])]),
        ])

        let labels = ContentLabels(library, languages: ["en", "de"], sharedIDs: [])

        #expect(labels.collections.map(\.set) == ["library/titled", "library/plain"])
        #expect(labels.codes(in: "en").map(\.label) == ["A long breath", "Seneca"])
        // Seneca has no label in German. The first language of the study replaces it.
        #expect(labels.codes(in: "de").map(\.label) == ["Ein Atem", "Seneca"])
    }

    @Test(arguments: [(500, 500), (501, 0)])
    func `a collection with more than 500 items has no labels`(items: Int, labelled: Int) {
        let field = ContentField(name: "body", kind: .text)
        let many = (0..<items).map { Self.item("item_\($0)", "body", ["en": "Text \($0)"]) }

        let labels = ContentLabels(
            Library(collections: [Self.collection("many", [field], many)]), languages: ["en"], sharedIDs: [])

        #expect(labels.columnItems.count == labelled)
        #expect(labels.isEmpty == (labelled == 0))
    }

    @Test func `the dataset has the labels of the live edition in every description and format`() async throws
    {
        try await Garden.with { garden in
            try await garden.change(Self.editions)
            try await garden.dataset(formats: [.spss]) { folder, _ in
                let labels = try TableRows(folder + "/meta/value_labels.csv")
                    .filter { $0["set"]?.hasPrefix("library") == true }
                    .map { "\($0["set"] ?? "") \($0["code"] ?? "") \($0["label"] ?? "") \($0["lang"] ?? "")" }
                #expect(
                    labels == [
                        "library/quotes hoe Hoe, said Seneca en", "library/quotes sun Sun en",
                        "library/tips hoe Hoe in spring en", "library/tips rake Rake gently en",
                        "library sun Sun en", "library rake Rake gently en",
                    ])
                let columns = try TableRows(folder + "/meta/codebook.csv")
                    .filter { $0["value_set"] == "library" }.compactMap { $0["file"] }
                #expect(columns == ["data/usage_events.csv", "data/content_shown.csv"])
                let rows = try TableRows(folder + "/data/content_shown.csv").compactMap { $0["item"] }
                #expect(rows == ["hoe", "old", "rake"])
                let package = try JSONReader.read(
                    Array(Data(contentsOf: URL(filePath: folder + "/datapackage.json"))))
                let fields = package["resources"]?.array?.first { $0["name"] == "content_shown" }?["schema"]?[
                    "fields"]?.array
                let item = try #require(fields?.first { $0["name"] == "item" })
                #expect(item["constraints"] == nil && item["categories"] == nil)
                let ddi = try String(contentsOfFile: folder + "/meta/ddi.xml", encoding: .utf8)
                #expect(ddi.contains("<labl>Rake gently</labl>"))
                let syntax = try String(contentsOfFile: folder + "/load/load.sps", encoding: .utf8)
                #expect(syntax.contains("'rake' 'Rake gently'"))
                let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
                #expect(readme.contains("library/<collection>"))
                try Self.checkPrograms(folder)
            }
        }
    }

    /// Text codes without a label keep their code. `hoe` is in two collections, and `old` was withdrawn.
    private static func checkPrograms(_ folder: String) throws {
        let python = """
            import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1] + "/load")
            import load, pyreadstat
            print(*load.label(load.load(sys.argv[1])["content_shown"], "item"), sep="|")
            meta = pyreadstat.read_sav(sys.argv[1] + "/spss/content_shown.sav")[1]
            print(meta.variable_value_labels["item"]["rake"])
            """
        let pandas = try Program.run(Program.python, ["-c", python, folder])
        #expect(pandas.output == "hoe|old|Rake gently\nRake gently\n")
        let code = """
            root <- commandArgs(trailingOnly = TRUE)[1]; source(file.path(root, "load/load.R"))
            cat(as.character(saunter_factor(saunter_load(root)$content_shown, "item")), sep = "|")
            """
        let r = try Program.run("Rscript", ["-e", code, folder])
        #expect(r.output == "hoe|old|Rake gently")
    }

    @Test func `an earlier dataset has the labels of the edition that was live then`() async throws {
        try await Garden.with { garden in
            try await garden.change(Self.editions)
            let then = try #require(Instant("2026-03-29T12:00:00Z"))
            try await garden.dataset(asOf: then) { folder, _ in
                let labels = try TableRows(folder + "/meta/value_labels.csv")
                    .filter { $0["set"] == "library" }.compactMap { $0["label"] }
                #expect(labels == ["Hoe", "An old tip", "Rake"])
            }
        }
    }

    @Test func `a study without a library has no set for its items`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let sets = try TableRows(folder + "/meta/codebook.csv").compactMap { $0["value_set"] }
                #expect(!sets.contains("library"))
            }
        }
    }

    /// Two editions. The second one withdraws `old`, and adds a collection that also has an item `hoe`. The file of a
    /// picture is a reference in a stored edition.
    private static var editions: String {
        func edition(_ number: Int, _ at: String, _ files: [String: String]) -> String {
            let paths = files.map { ("studies/garden/library/\($0.key)", $0.value) }.sorted { $0.0 < $1.0 }
            let json = JSON.object(
                JSONObject(paths.map { JSONObject.Member(name: $0.0, value: .string($0.1)) }))
            return """
                insert into research.content_edition (study, edition, digest, files, media, public_media, published_at)
                values ('garden', \(number), repeat('\(number)', 64), $files$\(json.text)$files$, '{}', '{}', '\(at)');
                """
        }
        let tips = """
            title: {en: Tips}
            fields: {picture: {type: media, kind: image}, body: text}
            """
        let quotes = "title: {en: Quotes}\nfields: {source: text, title: text}\n"
        let picture = "sha256:" + String(repeating: "0", count: 64)
        return edition(
            1, "2026-03-29T10:00:00Z",
            [
                "tips.yaml": tips, "media/hoe.png": picture,
                "tips.csv": "id,picture\nhoe,media/hoe.png\nold,\nrake,\n",
                "tips.en.csv": "id,body\nhoe,Hoe\nold,An old tip\nrake,Rake\n",
            ])
            + edition(
                2, "2026-03-29T13:00:00Z",
                [
                    "tips.yaml": tips, "media/hoe.png": picture,
                    "tips.csv": "id,picture\nhoe,media/hoe.png\nrake,\n",
                    "tips.en.csv": "id,body\nhoe,Hoe in spring\nrake,Rake gently\n", "quotes.yaml": quotes,
                    "quotes.csv": "id\nhoe\nsun\n",
                    "quotes.en.csv": "id,title,source\nhoe,\"Hoe, said Seneca\",Letters\nsun,Sun,Letters\n",
                ])
                + """
                insert into research.content_publication values
                  ('garden', 'tips', 'hoe', 1, '2026-03-29T10:00:00Z'), ('garden', 'tips', 'old', 1, '2026-03-29T10:00:00Z'),
                  ('garden', 'tips', 'rake', 1, '2026-03-29T10:00:00Z'),
                  ('garden', 'quotes', 'hoe', 2, '2026-03-29T13:00:00Z'),
                  ('garden', 'quotes', 'sun', 2, '2026-03-29T13:00:00Z');
                insert into research.content_selection (enrolment_id, collection, selector, slot, item, edition, selected_at) values
                  ('00000000-0000-4000-8000-0000000000e1', 'tips', 'daily', '2026-03-28', 'hoe', 1, '2026-03-29T10:01:00Z'),
                  ('00000000-0000-4000-8000-0000000000e1', 'tips', 'daily', '2026-03-29', 'old', 1, '2026-03-29T10:02:00Z'),
                  ('00000000-0000-4000-8000-0000000000e1', 'tips', 'daily', '2026-03-30', 'rake', 2, '2026-03-29T14:00:00Z')
                """
    }
}
