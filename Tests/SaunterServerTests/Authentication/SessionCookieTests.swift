import HTTPTypes
import Testing

@testable import SaunterServer

@Suite struct SessionCookieTests {
    @Test func `over https only this host gets the cookie, and no script can read it`() {
        let set = SessionCookie(publicURL: "https://s.example").setting("abc")

        #expect(set == "__Host-saunter=abc; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure")
    }

    @Test func `without https the cookie has no prefix`() {
        let set = SessionCookie(publicURL: "http://127.0.0.1:8080").setting("abc")

        #expect(set == "saunter=abc; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax")
    }

    @Test(arguments: [
        ("__Host-saunter=abc", "abc"), ("a=1; __Host-saunter=abc; b=2", "abc"), ("saunter=abc", nil),
        ("__Host-saunter=abc; __Host-saunter=def", nil), ("x__Host-saunter=abc", nil), ("", nil),
    ])
    func `only one cookie with the exact name counts`(_ header: String, _ value: String?) {
        #expect(SessionCookie(publicURL: "https://s.example").value(in: [.cookie: header]) == value)
    }
}
