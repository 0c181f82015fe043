import Testing

@testable import SaunterStore

@Suite struct BackupSealTests {
    private static let master = [UInt8](repeating: 1, count: 32)
    private static let salt = [UInt8](repeating: 2, count: 32)
    private static let parts: [[UInt8]] = [[1, 2, 3], [], Array(repeating: 9, count: 5000)]

    private static func sealed() throws -> [[UInt8]] {
        var seal = BackupSeal(master: master, salt: salt)
        return try parts.enumerated().map { try seal.seal($1, isLast: $0 == parts.count - 1) }
    }

    private func opens(_ part: [UInt8], _ seal: inout BackupSeal) -> Bool { seal.open(part) != nil }

    @Test func `parts come back in their order, and the last one says so`() throws {
        var seal = BackupSeal(master: Self.master, salt: Self.salt)
        for (number, part) in try Self.sealed().enumerated() {
            let result = seal.open(part)
            let opened = try #require(result)
            #expect(opened.part == Self.parts[number])
            #expect(opened.isLast == (number == 2))
        }
    }

    @Test func `a part out of its place, changed in any byte or sealed otherwise does not open`() throws {
        let sealed = try Self.sealed()
        var seal = BackupSeal(master: Self.master, salt: Self.salt)
        #expect(opens(sealed[1], &seal) == false)
        for place in sealed[0].indices {
            var changed = sealed[0]
            changed[place] ^= 1
            #expect(opens(changed, &seal) == false)
        }
        #expect(opens(Array(sealed[0].dropLast()), &seal) == false)
        #expect(opens([], &seal) == false)
        var salted = BackupSeal(master: Self.master, salt: [UInt8](repeating: 3, count: 32))
        #expect(opens(sealed[0], &salted) == false)
        #expect(opens(sealed[0], &seal))
    }

    @Test func `tables are copied after those that they refer to, and a circle is told`() throws {
        func table(_ name: String, _ parents: Set<String>) -> BackupTable {
            BackupTable(
                name: name, parents: parents, copyOut: "", copyIn: "", silence: nil, speak: nil, isFilled: "")
        }
        let tables = [table("a", ["c"]), table("b", ["a", "c"]), table("c", [])]
        #expect(try BackupTable.inOrder(tables).map(\.name) == ["c", "a", "b"])
        #expect(throws: BackupFault.unordered(tables: ["a", "c"])) {
            try BackupTable.inOrder([table("a", ["c"]), table("c", ["a"]), table("d", [])])
        }
    }
}
