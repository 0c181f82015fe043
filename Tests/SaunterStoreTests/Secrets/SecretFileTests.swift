import Foundation
import SaunterTesting
import Testing

@testable import SaunterStore

@Suite struct SecretFileTests {
    /// Reads the variable `KEY` while `KEY_FILE` names a file with these bytes.
    private func read(_ bytes: [UInt8], variable: String? = nil) throws -> String? {
        let folder = try TemporaryDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/secret"
        try Data(bytes).write(to: URL(filePath: path))
        var environment = ["KEY_FILE": path]
        environment["KEY"] = variable
        return try SecretFile.read(for: "KEY", in: environment)
    }

    @Test(arguments: [("a b\n", "a b"), ("a\r\n\n", "a"), (" a ", " a ")])
    func `trailing line breaks are not part of the secret`(content: String, secret: String) throws {
        #expect(try read(Array(content.utf8)) == secret)
        #expect(try read(Array(content.utf8), variable: "") == secret)
    }

    @Test(arguments: [[:], ["KEY": "a"], ["KEY_FILE": ""], ["KEY": "a", "KEY_FILE": ""]])
    func `without a file there is no secret to read`(environment: [String: String]) throws {
        #expect(try SecretFile.read(for: "KEY", in: environment) == nil)
    }

    @Test func `a variable and its file cannot both be set`() {
        #expect(throws: SecretFileFault(description: "set KEY or KEY_FILE, not both")) {
            try read(Array("a".utf8), variable: "b")
        }
    }

    @Test(arguments: [[0x0A], [], [0xFF], [UInt8](repeating: 0x61, count: 65_537)])
    func `a file without a usable secret is rejected, and its content is not quoted`(bytes: [UInt8]) throws {
        let fault = try #require(throws: SecretFileFault.self) { try read(bytes) }

        #expect(fault.description.hasPrefix("KEY_FILE: "))
        #expect(!fault.description.contains("aaa"))
    }

    @Test func `a missing file is rejected`() {
        #expect(throws: SecretFileFault(description: "KEY_FILE: /nowhere cannot be read")) {
            try SecretFile.read(for: "KEY", in: ["KEY_FILE": "/nowhere"])
        }
    }
}
