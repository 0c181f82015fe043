import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct OutboundURLTests {
    @Test(arguments: [
        ("https://push.example.net/a/b?c=d", "push.example.net", 443, "https://push.example.net"),
        ("https://PUSH.example.net:8443", "push.example.net", 8443, "https://push.example.net:8443"),
        ("https://push.example.net:443/", "push.example.net", 443, "https://push.example.net"),
        ("https://[2606:4700::1111]:444/x", "[2606:4700::1111]", 444, "https://[2606:4700::1111]:444"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "https://xn--bcher-kva.example"),
    ])
    func `an https URL is parsed into host, port and origin`(
        _ text: String, _ host: String, _ port: Int, _ origin: String
    ) throws {
        let url = try #require(OutboundURL(text))
        #expect(url.host == host && url.port == port && url.origin == origin && url.text == text)
    }

    @Test(arguments: [
        "", "http://push.example.net/", "HTTPS://push.example.net/", "https:/push.example.net", "https://",
        "https:///path", "https://user@push.example.net/", "https://push.example.net@127.0.0.1/",
        "https://push.example.net#a", "https://push.example.net/a#b", "https://push.example.net/a\\b",
        "https://push.example.net/a@b", "https://push.example.net/\"a", "https://push.example.net/<a>",
        "https://push.example.net\\@127.0.0.1/", "https://push.example.net:0/",
        "https://push.example.net:65536/", "https://push.example.net:/", "https://push.example.net:+443/",
        "https://push .example.net/", "https://pusch.exämple.net/", "https://push..example.net/",
        "https://push.example.net./", "https://-push.example.net/", "https://[::1/", "https://[::1%lo]/",
        "https://[push]/", "https://[127.0.0.1]/", "https://a/\r\nHost: b", "https://a/\u{0}",
        "file:///etc/passwd", "gopher://127.0.0.1:25/",
        "https://push.example.net/" + String(repeating: "a", count: 2048),
    ])
    func `a URL that parsers could read differently is rejected`(_ text: String) {
        #expect(OutboundURL(text) == nil)
    }
}

@Suite struct OutboundPolicyTests {
    @Test(arguments: [
        ("127.0.0.1/32, push.internal", "https://127.0.0.1/", true),
        ("127.0.0.1/32", "https://127.0.0.2/", false), ("", "https://127.0.0.1/", false),
        ("", "https://[::1]/", false), ("", "https://[::ffff:7f00:1]/", false),
        ("", "https://169.254.169.254/latest", false), ("", "https://1.1.1.1/", true),
        // The addresses of a name are checked when it is called.
        ("", "https://localhost/", true),
    ])
    func `a URL that contains an IP address is checked by that address`(
        _ policy: String, _ url: String, _ expected: Bool
    ) throws {
        #expect(try #require(OutboundPolicy(policy)).mayAllow(#require(OutboundURL(url))) == expected)
    }

    @Test func `a permitted host may have any address, and other hosts may not have that address`() throws {
        let policy = try #require(OutboundPolicy("push.internal,10.1.0.0/16"))
        #expect(policy.allows(try #require(IPAddress("192.168.0.1")), for: "push.internal"))
        #expect(!policy.allows(try #require(IPAddress("192.168.0.1")), for: "push.internal.example.net"))
        #expect(policy.allows(try #require(IPAddress("10.1.2.3")), for: "anything.example.net"))
    }

    @Test(arguments: [
        "10.0.0.0/33", "a b/", "https://push.internal", "push.internal:443", "push.internal?", "-", "*",
    ])
    func `a list with an entry that is neither a host nor a network is rejected`(_ text: String) {
        #expect(OutboundPolicy(text) == nil)
    }
}
