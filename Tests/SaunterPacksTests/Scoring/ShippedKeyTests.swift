import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct ShippedKeyTests {
    /// Each stored score has the digest of its key. New members of the key format must not change existing digests.
    @Test(arguments: [
        ("pss_10", "f5b2bce9dacf42f298c9a78dec14d8459b131bc42ef16598b8bd5c4cf290e79c"),
        ("maas", "a7dcda6819566e567db5cca521971af3e08b5821e2b5bdd717dd3e2c62ba0a5a"),
        ("who_5", "61a2cea8b64f7c4737ad1c0211312f5b5320599b868de21f9f192d16e268b6a2"),
        ("sus", "b066567b9f7a73d7de8f5d4b164d95058d0268bb2cf63be4452dbe7031b4b304"),
        ("daily_evening", "9adc4073d305d297ec088878f4e0c2e86cbe7789b1d830c0be34e2d7ec48e510"),
        ("after_walk", "69516c799fecc4996e9095a86c785b8490152fd59bfc0805afbf25380ba922fe"),
    ])
    func `a shipped key keeps its digest`(code: String, digest: String) throws {
        let pack = try InstrumentPack.read(RealPacks.instrument(code), code: code, version: "1.0.0")

        #expect(pack.questionnaire.scoring?.digest == digest)
    }
}
