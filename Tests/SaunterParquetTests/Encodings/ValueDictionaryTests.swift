import Testing

@testable import SaunterParquet

@Suite struct ValueDictionaryTests {
    @Test func `values keep the order of their first occurrence, with their lengths`() {
        var dictionary = ValueDictionary(hasLengths: true, limit: 100)
        let indices = ["b", "aa", "b", "", "aa"].map { Self.index(of: $0, in: &dictionary) }

        #expect(indices == [0, 1, 0, 2, 1])
        #expect(dictionary.plain == ParquetFile.hex("01 00 00 00 62  02 00 00 00 61 61  00 00 00 00"))
        #expect(Array(dictionary.encoded(1)) == ParquetFile.hex("02 00 00 00 61 61"))
    }

    @Test func `a full dictionary accepts no new value, but finds the old ones`() {
        var dictionary = ValueDictionary(hasLengths: true, limit: 10)

        #expect(Self.index(of: "a", in: &dictionary) == 0)
        #expect(Self.index(of: "bb", in: &dictionary) == nil)
        #expect(Self.index(of: "b", in: &dictionary) == 1)
        #expect(Self.index(of: "", in: &dictionary) == nil)
        #expect(Self.index(of: "a", in: &dictionary) == 0)
    }

    @Test func `many values are found again`() {
        var dictionary = ValueDictionary(hasLengths: false, limit: 1 << 20)
        for _ in 0..<2 {
            for value in 0..<UInt32(5000) {
                let bytes = value.littleEndian
                #expect(withUnsafeBytes(of: bytes) { dictionary.index(of: $0) } == value)
            }
        }
        #expect(dictionary.count == 5000)
        #expect(dictionary.plain.count == 20_000)
    }

    private static func index(of text: String, in dictionary: inout ValueDictionary) -> UInt32? {
        Array(text.utf8).withUnsafeBytes { dictionary.index(of: $0) }
    }
}
