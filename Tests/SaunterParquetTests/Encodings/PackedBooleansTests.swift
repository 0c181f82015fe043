import Testing

@testable import SaunterParquet

@Suite struct PackedBooleansTests {
    @Test func `eight Booleans are in a byte, the first in the lowest bit`() {
        #expect(PackedBooleans.pack([1, 0, 1, 1, 0, 0, 0, 1, 1]) == [0x8D, 0x01])
        #expect(PackedBooleans.pack([]) == [])
    }
}
