import SaunterCore
import Testing

@testable import SaunterWeb

/// The lines that fetch and read a dataset.
@Suite struct DatasetLinesTests {
    private static let token = "0123456789ABCDEF0123456789ABCDEF"
    private static let folder = "saunter_rest_20261121T080000Z-12345678"
    private static let file =
        "https://s.example/v1/studies/rest/exports/0190a5c0-0000-7000-8000-000000000000/file"

    private static func lines(
        profile: String = "coded", formats: [String] = [], state: String = "done"
    ) -> DatasetLines? {
        let export: JSON = [
            "export_id": "0190a5c0-0000-7000-8000-000000000000", "study": "rest", "state": .string(state),
            "profile": .string(profile), "file_name": .string("\(folder).zip"),
            "request": [
                "profile": .string(profile), "formats": .array(formats.map(JSON.string)),
            ],
        ]
        return DatasetLines(of: export, token: token, publicURL: "https://s.example")
    }

    private static func part(
        _ program: DatasetLines.Program, of lines: DatasetLines?
    ) throws -> DatasetLines.Part {
        try #require(lines?.parts.first { $0.program == program })
    }

    @Test func `a dataset that is not ready has no lines`() {
        for state in ["queued", "running", "failed", "cancelled", "expired", "deleted"] {
            #expect(Self.lines(state: state) == nil)
        }
    }

    @Test func `R fetches the file with a header and sources the loader of the dataset`() throws {
        #expect(
            try Self.part(.r, of: Self.lines()).lines == [
                "options(timeout = 3600)",
                "download.file(\"\(Self.file)\", \"\(Self.folder).zip\", mode = \"wb\", method = \"libcurl\",",
                "  headers = c(Authorization = \"Bearer \(Self.token)\"))",
                "unzip(\"\(Self.folder).zip\")",
                "source(\"\(Self.folder)/load/load.R\", encoding = \"UTF-8\")",
                "data <- saunter_load(\"\(Self.folder)\")",
            ])
    }

    @Test func `Python fetches the file with a header and imports the loader of the dataset`() throws {
        let lines = try Self.part(.python, of: Self.lines()).lines

        #expect(lines.contains("request = urllib.request.Request(\"\(Self.file)\","))
        #expect(lines.contains("    headers={\"Authorization\": \"Bearer \(Self.token)\"})"))
        #expect(
            lines.suffix(3) == [
                "sys.path.insert(0, \"\(Self.folder)/load\")", "from load import load", "data = load()",
            ])
    }

    @Test(arguments: ["coded", "deidentified", "full", "public"])
    func `the token is in no address`(profile: String) throws {
        let parts = try #require(Self.lines(profile: profile, formats: ["stata", "spss", "excel"])).parts

        let all: [String] = parts.flatMap { $0.lines }
        for line in all where line.contains(Self.token) {
            #expect(line.contains("Bearer \(Self.token)\""))
            let addresses = line.matches(of: /https?:[^" ]*/).map { String($0.output) }
            #expect(addresses.allSatisfy { !$0.contains(Self.token) })
        }
        #expect(all.count { $0.contains(Self.token) } == 3)
    }

    @Test func `Stata and SPSS open their files if the formats were chosen`() throws {
        let lines = Self.lines(formats: ["stata", "spss"])

        let (stata, spss) = (try Self.part(.stata, of: lines), try Self.part(.spss, of: lines))
        #expect(stata.hasFiles && spss.hasFiles)
        #expect(stata.lines.last == "use \"\(Self.folder)/stata/panel.dta\", clear")
        #expect(spss.lines == ["GET FILE='\(Self.folder)/spss/panel.sav'."])
    }

    @Test func `without the formats, Stata and SPSS run the loaders for CSV files`() throws {
        let lines = Self.lines(formats: ["excel"])

        let (stata, spss) = (try Self.part(.stata, of: lines), try Self.part(.spss, of: lines))
        #expect(!stata.hasFiles && !spss.hasFiles)
        #expect(stata.lines.suffix(2) == ["cd \"\(Self.folder)\"", "do \"load/load.do\""])
        #expect(spss.lines == ["CD '\(Self.folder)'.", "INSERT FILE='load/load.sps'."])
        #expect(try Self.part(.excel, of: lines).lines == ["\(Self.folder)/excel/dataset.xlsx"])
        #expect(try Self.part(.excel, of: Self.lines()).hasFiles == false)
    }

    @Test func `the public profile has a table of counts, and no feed of single participants`() throws {
        let lines = Self.lines(profile: "public", formats: ["stata"])

        #expect(
            try Self.part(.stata, of: lines).lines.last
                == "use \"\(Self.folder)/stata/public_people.dta\", clear")
        for (profile, hasFeed) in [
            ("public", false), ("deidentified", false), ("coded", true), ("full", true),
        ] {
            let programs = Self.lines(profile: profile)?.parts.map(\.program) ?? []
            #expect(programs.contains(.odata) == hasFeed, "\(profile)")
        }
    }
}
