import Foundation
import Testing

@testable import SaunterPacks

@Suite struct FileRefusalTests {
    @Test func `a folder that cannot be made is named with the system's reason`() {
        let error = #expect(throws: (any Error).self) {
            try FileManager.default.createDirectory(
                at: URL(filePath: "/dev/null/tables"), withIntermediateDirectories: true)
        }
        #expect(error.flatMap(FileRefusal.text) == "/dev/null/tables: Not a directory")
    }

    @Test func `so is a file, and a device that takes no more`() throws {
        let missing = #expect(throws: (any Error).self) {
            try Data().write(to: URL(filePath: "/dev/null/a.csv"), options: .withoutOverwriting)
        }
        #expect(missing.flatMap(FileRefusal.text) == "/dev/null/a.csv: Not a directory")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let error = #expect(throws: (any Error).self) { try full.write(contentsOf: Data([1])) }
        #expect(error.flatMap(FileRefusal.text) == "No space left on device")
    }

    @Test func `an error of something else is none of a file`() {
        #expect(FileRefusal.text(CancellationError()) == nil)
    }
}
