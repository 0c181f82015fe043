import HTTPTypes
import Testing

@testable import SaunterWeb

@Suite struct AppearanceTests {
    @Test(arguments: [
        ("appearance=dark", Appearance.dark), ("saunter=x; appearance=light", .light),
        ("appearance=pink", .system),
        ("not_appearance=dark", .system), ("", .system),
    ])
    func `the choice is read from the cookies`(_ cookies: String, _ expected: Appearance) {
        #expect(Appearance(of: [.cookie: cookies]) == expected)
    }

    @Test func `the cookie is sent only over https if the server has it`() {
        #expect(Appearance.dark.cookie(publicURL: "https://s.example").hasSuffix("; Secure"))
        #expect(!Appearance.dark.cookie(publicURL: "http://127.0.0.1:8080").contains("Secure"))
    }
}
