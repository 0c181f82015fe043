import Testing

@testable import SaunterCore

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0:0:0:0:1"),
        ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1"),
    ])
    func `addresses are parsed in all forms`(_ text: String, _ expected: String) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.256", "::g", "1.2.3.4:80", "[::1]"])
    func `other texts are not addresses`(_ text: String) {
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
    func `a range contains its addresses`(_ range: String, _ address: String, _ expected: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(#require(IPAddress(address))) == expected)
    }

    @Test(arguments: ["", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "x/8"])
    func `an invalid range is rejected`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.0.2.1", "192.88.99.1",
        "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
    ])
    func `special-purpose addresses are not public`(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255", "172.32.0.1", "192.167.255.255", "193.0.0.1", "198.17.255.255", "198.20.0.1",
        "223.255.255.254", "::ffff:1.1.1.1", "2001:200::1", "2003::1", "2606:4700::1111", "2a00:1450::1",
    ])
    func `the addresses next to special-purpose ranges are public`(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test func `the bytes of a socket address are the same address`() {
        #expect(IPAddress(bytes: [127, 0, 0, 1]) == IPAddress("127.0.0.1"))
        #expect(
            IPAddress(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1])
                == IPAddress("10.0.0.1"))
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
    }
}
