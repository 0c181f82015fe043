import Testing

@testable import SaunterStore

@Suite struct BackupCipherTests {
    private static let master = [UInt8](repeating: 1, count: 32)
    private static let salt = [UInt8](repeating: 2, count: 32)
    private static let parts: [[UInt8]] = [[1, 2, 3], [], Array(repeating: 9, count: 5000)]

    private static func sealed() throws -> [[UInt8]] {
        var cipher = BackupCipher(master: master, salt: salt)
        return try parts.enumerated().map { try cipher.seal($1, isLast: $0 == parts.count - 1) }
    }

    private func opens(_ part: [UInt8], _ cipher: inout BackupCipher) -> Bool { cipher.open(part) != nil }

    @Test func `parts are decrypted in order, and the last one is marked`() throws {
        var cipher = BackupCipher(master: Self.master, salt: Self.salt)
        for (number, part) in try Self.sealed().enumerated() {
            let result = cipher.open(part)
            let opened = try #require(result)
            #expect(opened.part == Self.parts[number])
            #expect(opened.isLast == (number == 2))
        }
    }

    @Test func `a part that is moved, changed in any byte or has another salt cannot be decrypted`() throws {
        let sealed = try Self.sealed()
        var cipher = BackupCipher(master: Self.master, salt: Self.salt)
        #expect(opens(sealed[1], &cipher) == false)
        for index in sealed[0].indices {
            var changed = sealed[0]
            changed[index] ^= 1
            #expect(opens(changed, &cipher) == false)
        }
        #expect(opens(Array(sealed[0].dropLast()), &cipher) == false)
        #expect(opens([], &cipher) == false)
        var salted = BackupCipher(master: Self.master, salt: [UInt8](repeating: 3, count: 32))
        #expect(opens(sealed[0], &salted) == false)
        #expect(opens(sealed[0], &cipher))
    }

    @Test func `tables are sorted after those that they reference, and a cycle is a fault`() throws {
        func table(_ name: String, _ parents: Set<String>) -> BackupTable {
            BackupTable(
                name: name, parents: parents, copyOut: "", copyIn: "", disableTriggers: nil,
                enableTriggers: nil, filledQuery: "")
        }
        let tables = [table("a", ["c"]), table("b", ["a", "c"]), table("c", [])]
        #expect(try BackupTable.inOrder(tables).map(\.name) == ["c", "a", "b"])
        #expect(throws: BackupFault.unordered(tables: ["a", "c"])) {
            try BackupTable.inOrder([table("a", ["c"]), table("c", ["a"]), table("d", [])])
        }
    }
}
