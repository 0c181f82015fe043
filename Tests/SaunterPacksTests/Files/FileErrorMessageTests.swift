import Foundation
import Testing

@testable import SaunterPacks

@Suite struct FileErrorMessageTests {
    @Test func `the message for a folder that cannot be created has the reason of the system`() {
        let error = #expect(throws: (any Error).self) {
            try FileManager.default.createDirectory(
                at: URL(filePath: "/dev/null/tables"), withIntermediateDirectories: true)
        }
        #expect(error.flatMap(FileErrorMessage.text) == "/dev/null/tables: Not a directory")
    }

    @Test func `the message for a file that cannot be written has the reason of the system`() throws {
        let missing = #expect(throws: (any Error).self) {
            try Data().write(to: URL(filePath: "/dev/null/a.csv"), options: .withoutOverwriting)
        }
        #expect(missing.flatMap(FileErrorMessage.text) == "/dev/null/a.csv: Not a directory")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let error = #expect(throws: (any Error).self) { try full.write(contentsOf: Data([1])) }
        #expect(error.flatMap(FileErrorMessage.text) == "No space left on device")
    }

    @Test func `another error is not a file error`() {
        #expect(FileErrorMessage.text(CancellationError()) == nil)
    }
}
