import Testing

@testable import SaunterCore

@Suite struct SecretTests {
    private struct Holder {
        var password = Secret("canary")
        var key: Secret<[UInt8]>? = Secret(Array("canary".utf8))
        var tokens = ["api": Secret("canary")]
    }

    @Test func `no text form shows the value, also inside other types`() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)

        for text in [
            "\(holder.password)", String(reflecting: holder.password), "\(holder)",
            String(reflecting: holder),
            "\([holder])", dumped,
        ] {
            #expect(!text.contains("canary") && !text.contains("99, 97"), "\(text)")
            #expect(text.contains("(hidden)"))
        }
    }

    @Test func `the value is available by name and comparable`() {
        #expect(Secret("canary").revealed == "canary")
        #expect(Secret("canary") == Secret("canary"))
        #expect(Secret("canary") != Secret("other"))
    }
}
