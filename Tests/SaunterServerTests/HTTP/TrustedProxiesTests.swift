import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct TrustedProxiesTests {
    @Test(arguments: [
        (nil, "203.0.113.1"), ("6.6.6.6", "6.6.6.6"), ("6.6.6.6, 198.51.100.7", "198.51.100.7"),
        ("6.6.6.6, 203.0.113.2, 203.0.113.3", "6.6.6.6"), ("6.6.6.6, unknown, 203.0.113.3", "203.0.113.3"),
        ("203.0.113.9", "203.0.113.9"),
    ])
    func `behind trusted proxies the client is the nearest address that is not a proxy`(
        _ header: String?, _ expected: String
    )
        throws
    {
        let proxies = try TrustedProxies([#require(AddressRange("203.0.113.0/24"))])

        let client = proxies.client(peer: IPAddress("203.0.113.1"), forwardedFor: header)

        #expect(client == IPAddress(expected))
    }

    @Test func `the header of another sender is ignored`() {
        #expect(
            TrustedProxies().client(peer: IPAddress("198.51.100.1"), forwardedFor: "6.6.6.6")
                == IPAddress("198.51.100.1"))
        #expect(TrustedProxies().client(peer: nil, forwardedFor: "6.6.6.6") == nil)
    }
}
