import Testing

@testable import SaunterServer

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0:0:0:0:1"),
        ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1"),
    ])
    func `addresses are read in all their forms`(_ text: String, _ expected: String) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.256", "::g", "1.2.3.4:80", "[::1]"])
    func `other texts are none`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("192.0.2.128/25", "192.0.2.127", false),
        ("192.0.2.128/25", "192.0.2.200", true), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "::2", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ("::1", "::1", true),
    ])
    func `a range holds its addresses`(_ range: String, _ address: String, _ expected: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(#require(IPAddress(address))) == expected)
    }

    @Test(arguments: ["", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "x/8"])
    func `a range that is none is refused`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        (nil, "203.0.113.1"), ("6.6.6.6", "6.6.6.6"), ("6.6.6.6, 198.51.100.7", "198.51.100.7"),
        ("6.6.6.6, 203.0.113.2, 203.0.113.3", "6.6.6.6"), ("6.6.6.6, unknown, 203.0.113.3", "203.0.113.3"),
        ("203.0.113.9", "203.0.113.9"),
    ])
    func `behind trusted proxies the nearest stranger is the client`(_ header: String?, _ expected: String)
        throws
    {
        let proxies = try TrustedProxies([#require(AddressRange("203.0.113.0/24"))])

        let client = proxies.client(peer: IPAddress("203.0.113.1"), forwardedFor: header)

        #expect(client == IPAddress(expected))
    }

    @Test func `of a stranger the header is not believed`() {
        #expect(
            TrustedProxies().client(peer: IPAddress("198.51.100.1"), forwardedFor: "6.6.6.6")
                == IPAddress("198.51.100.1"))
        #expect(TrustedProxies().client(peer: nil, forwardedFor: "6.6.6.6") == nil)
    }
}
