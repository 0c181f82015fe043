import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct PackFilesTests {
    @Test func `the digest does not depend on line ends or on other files`() throws {
        let files = try RealPacks.study()
        let windows = PackFiles(
            files: files.files.mapValues { $0.replacingOccurrences(of: "\n", with: "\r\n") })

        let pack = try StudyPack.read(files, study: "mindful-walking")

        #expect(windows != files)
        #expect(windows.digest == files.digest)
        #expect(try StudyPack.read(windows, study: "mindful-walking").study == pack.study)
        #expect(pack.digest == files.digest)
        #expect(pack.digest.utf8.count == 64)
        let more = files.setting("studies/other/study.yaml", "code: other")
        #expect(try StudyPack.read(more, study: "mindful-walking").digest == pack.digest)
        #expect(more.digest != files.digest)
    }

    @Test func `the digest depends on every word and on the end of each file`() {
        let files = PackFiles(files: ["a": "xy", "b": "z"])

        #expect(files.digest != PackFiles(files: ["a": "xy", "b": "y"]).digest)
        #expect(files.digest != PackFiles(files: ["a": "x", "b": "yz"]).digest)
        #expect(files.digest != PackFiles(files: ["a": "xy", "c": "z"]).digest)
    }

    @Test func `the digest is the SHA-256 of the documented form`() {
        // printf '{"files":{"a":"1\\n2"},"format":1}' | sha256sum
        #expect(
            PackFiles(files: ["a": "1\r\n2"]).digest
                == "94fab27ecae4a22de97b31e7999c065207eb2bc59136bc60bf7126016cdf505f")
    }

    @Test func `a pack survives storage byte by byte`() throws {
        let files = try RealPacks.study().setting(
            "studies/mindful-walking/extra.md", "\u{FEFF}a\r\n\"\\ü\u{1F6B6}\t\n")

        let stored = files.json.bytes
        let back = try PackFiles(json: try JSONReader.read(stored))

        #expect(back == files)
        #expect(back.json.bytes == stored)
    }

    @Test(arguments: [
        JSON.null, ["format": 2, "files": [:]], ["format": 1], ["format": 1, "files": ["a": 1]],
    ])
    func `anything but a stored pack is rejected`(json: JSON) {
        #expect(throws: PackFaults.self) { try PackFiles(json: json) }
    }

    @Test func `a study's folder is loaded with exactly the instruments that it names`() throws {
        let paths = try RealPacks.study().files.keys

        #expect(paths.contains("studies/mindful-walking/content/consent.de.md"))
        #expect(paths.contains("instruments/sus/1.0.0/vectors.csv"))
        #expect(paths.allSatisfy { $0.hasPrefix("studies/mindful-walking/") || $0.hasPrefix("instruments/") })
        #expect(!paths.contains("README.md"))
    }

    @Test func `links, other encodings and large files are faults`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "packs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = root.appending(path: "studies/trial")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([0x61, 0xFF, 0x62]).write(to: folder.appending(path: "latin.yaml"))
        try Data(count: (1 << 20) + 1).write(to: folder.appending(path: "large.yaml"))
        try Data("x".utf8).write(to: folder.appending(path: ".hidden"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "passwd.md").path, withDestinationPath: "/etc/passwd")

        let faults = #expect(throws: PackFaults.self) { try PackFiles.load(directory: folder.path) }

        #expect(
            faults?.list.map(\.description) == [
                "studies/trial/large.yaml:1: larger than 1 MiB",
                "studies/trial/latin.yaml:1: not UTF-8",
                "studies/trial/passwd.md:1: neither a file nor a folder; links are not followed",
            ])
    }

    @Test(arguments: [
        "/tmp", "studies", "studies/Bad_Code", "instruments/pss_10", "instruments/pss_10/latest",
    ])
    func `a folder that is not a pack is rejected`(path: String) {
        #expect(throws: PackFaults.self) { try PackFiles.load(directory: path) }
    }
}
