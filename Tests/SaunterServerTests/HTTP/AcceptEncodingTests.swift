import Testing

@testable import SaunterServer

@Suite struct AcceptEncodingTests {
    @Test(arguments: [
        (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("deflate, gzip;q=1.0", true),
        ("gzip;q=0", false),
        ("gzip; q=0.0", false), ("*", true), ("*;q=0", false), ("br", false), ("*, gzip;q=0", false),
        ("gzip;q=x", false),
    ])
    func `the header decides whether the client accepts gzip`(_ header: String?, _ expected: Bool) {
        #expect(AcceptEncoding.acceptsGzip(header) == expected)
    }
}
