import Testing

@testable import SaunterCore

@Suite struct HexTests {
    @Test(
        arguments: [([], ""), ([0], "00"), ([0, 255], "00ff"), ([18, 171, 205], "12abcd")]
            as [([UInt8], String)])
    func `bytes are encoded in lower case and decoded again`(bytes: [UInt8], text: String) {
        #expect(Hex.encode(bytes) == text)
        #expect(Hex.decode(text.utf8) == bytes)
        #expect(Hex.decode(text.uppercased().utf8) == bytes)
    }

    @Test(arguments: ["0", "0g", "+1", " 1", "0x10", "١2", "000"])
    func `other texts are rejected`(text: String) {
        #expect(Hex.decode(text.utf8) == nil)
    }

    @Test func `every byte survives a round trip`() {
        let bytes = Array(UInt8.min...UInt8.max)

        #expect(Hex.decode(Hex.encode(bytes).utf8) == bytes)
        #expect(Hex.encode(bytes).utf8.count == 512)
    }
}
