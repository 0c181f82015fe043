import Foundation
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterEvaluation

@Suite struct DataPackageTests {
    @Test
    func `every column has a codebook row, a field of the data package and a name in its file's header`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset { folder, manifest in
                let package = try JSONReader.read(
                    try Data(contentsOf: URL(filePath: folder + "/datapackage.json")).map { $0 })
                let codebook = try TableRows(folder + "/meta/codebook.csv")
                let resources = try #require(package["resources"]?.array)
                #expect(resources.count == manifest.files.count { $0.path.hasPrefix("data/") })
                for resource in resources {
                    let path = try #require(resource["path"]?.string)
                    let fields = resource["schema"]?["fields"]?.array?.compactMap { $0["name"]?.string } ?? []
                    // Another test reads the columns of Parquet files in Python.
                    var header = fields
                    if path.hasSuffix(".csv") {
                        var reader = CSVReader(
                            try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8))
                        header = try reader.next()?.fields ?? []
                    }
                    #expect(fields == header)
                    #expect(codebook.filter { $0["file"] == path }.map { $0["column"] } == header)
                    #expect(header.allSatisfy(ColumnName.isValid))
                    #expect(Set(header).count == header.count)
                    for key in resource["schema"]?["primaryKey"]?.array ?? [] {
                        #expect(header.contains(key.string ?? ""))
                    }
                    let file = try #require(manifest.files.first { $0.path == path })
                    #expect(resource["hash"]?.string == "sha256:\(file.sha256)")
                    #expect(resource["bytes"]?.int == file.bytes)
                }
            }
        }
    }

    @Test(arguments: [DatasetProfile.coded, .deidentified, .full, .public])
    func `frictionless validates the data package`(profile: DatasetProfile) async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: profile) { folder, _ in
                let outcome = try Program.run(
                    Program.python, [Garden.fixtures + "/check_package.py", folder])
                #expect(
                    outcome.status == 0,
                    "\(outcome.output)\nThe test needs frictionless: pip install frictionless, or set SAUNTER_TEST_PYTHON"
                )
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `the data package and the DDI codebook have the licence and the contributors of the study`()
        async throws
    {
        try await Garden.with { garden in
            var files = try Garden.pack("garden-2").files
            let path = "studies/garden/study.yaml"
            files[path] =
                files[path]?.replacing("version: 2.0.0", with: "version: 3.0.0").appending(
                    """

                    dataset:
                      license: {name: CC-BY-4.0, url: "https://creativecommons.org/licenses/by/4.0/"}
                      contributors:
                        - {name: Ada Example, organization: A & B, email: ada@example.org, roles: [contact]}
                        - {name: The garden, url: "https://example.org"}

                    """)
            try await garden.publish(PackFiles(files: files), version: "3.0.0", at: "2026-03-03T00:00:00Z")

            try await garden.dataset { folder, _ in
                let package = try JSONReader.read(
                    try Data(contentsOf: URL(filePath: folder + "/datapackage.json")).map { $0 })
                let codebook = try String(contentsOfFile: folder + "/meta/ddi.xml", encoding: .utf8)
                let outcome = try Program.run(
                    Program.python, [Garden.fixtures + "/check_package.py", folder])

                #expect(
                    package["licenses"] == [
                        ["name": "CC-BY-4.0", "path": "https://creativecommons.org/licenses/by/4.0/"]
                    ])
                #expect(
                    package["contributors"] == [
                        [
                            "title": "Ada Example", "organization": "A & B", "email": "ada@example.org",
                            "roles": ["contact"],
                        ],
                        ["title": "The garden", "path": "https://example.org"],
                    ])
                #expect(package["version"] == "3.0.0" && package["description"] == "Three days in a garden.")
                #expect(outcome.output.hasSuffix("all as expected\n"), "\(outcome.output)")
                #expect(
                    codebook.contains("<AuthEnty affiliation=\"A &amp; B\">Ada Example</AuthEnty>"))
                #expect(
                    codebook.contains(
                        "<conditions>CC-BY-4.0 https://creativecommons.org/licenses/by/4.0/</conditions>"))
            }
        }
    }

    @Test func `rows are sorted by their key, and keys are unique`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let package = try JSONReader.read(
                    try Data(contentsOf: URL(filePath: folder + "/datapackage.json")).map { $0 })
                for resource in package["resources"]?.array ?? []
                where resource["path"]?.string?.hasSuffix(".csv") == true {
                    let fields = resource["schema"]?["primaryKey"]?.array?.compactMap(\.string) ?? []
                    let numbers = Set(["ordinal", "attempt", "study_day", "rev"])
                    let keys = try TableRows("\(folder)/\(resource["path"]?.string ?? "")").map { row in
                        fields.map {
                            numbers.contains($0)
                                ? String(("000000" + (row[$0] ?? "")).suffix(6)) : row[$0] ?? ""
                        }
                        .joined(separator: "\u{1}")
                    }
                    #expect(keys == keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
                    #expect(Set(keys).count == keys.count)
                }
            }
        }
    }
}
