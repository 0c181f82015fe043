import Compression
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct GatewayBodyTests {
    @Test func `the handler gets the checked body`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.post, "/v1/echo", #"{"text":"ä","n":1.0}"#)

            #expect(answer.status == 201)
            #expect(answer.text == #"{"text":"ä","n":1.0}"#)
        }
    }

    @Test func `all faults of a body are reported`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.post, "/v1/echo", #"{"txet":"a","n":"1"}"#)

            #expect(answer.status == 422)
            #expect(answer.slug == "body-invalid")
            #expect(answer.faults == ["/text": "required", "/n": "wrong_type", "/txet": "unknown_member"])
            #expect(answer.json["detail"] == "There are 3 faults.")
        }
    }

    @Test(
        arguments: [
            (Array("{".utf8), "body-unreadable"), (Array("".utf8), "body-unreadable"),
            ([0xEF, 0xBB, 0xBF] + Array("{}".utf8), "body-unreadable"),
            ([0xFF, 0xFE, 0x7B, 0x00], "body-unreadable"),
            (Array(#"{"text":"\u0000"}"#.utf8), "body-invalid"),
            (Array(#"{"text":"a","text":"b"}"#.utf8), "body-invalid"),
            (Array(#"{"text":NaN}"#.utf8), "body-unreadable"),
            (Array(String(repeating: "[", count: 10_000).utf8), "body-unreadable"),
            (Array(#"{"text":"\ud800"}"#.utf8), "body-unreadable"),
            ([0x22, 0xC0, 0xAF, 0x22], "body-unreadable"),
        ] as [([UInt8], String)])
    func `a body that is not valid JSON is rejected`(_ bytes: [UInt8], _ slug: String) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(
                .post, "/v1/echo", bytes: bytes, headers: [.contentType: "application/json"])

            #expect(answer.slug == slug)
        }
    }

    @Test(arguments: [
        "", "text/plain", "application/xml", "application/json; charset=utf-16",
        "application/json;charset=latin1",
        "multipart/form-data", "json",
    ])
    func `other media types and charsets are rejected`(_ type: String) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.post, "/v1/echo", "{}", headers: [.contentType: type])

            #expect(answer.slug == "media-type-unsupported")
        }
    }

    @Test(arguments: [
        "application/json", "Application/JSON; charset=UTF-8", "application/fhir+json;charset=\"utf-8\"",
    ])
    func `JSON in UTF-8 is accepted with each of its media types`(_ type: String) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(
                .post, "/v1/echo", #"{"text":"a"}"#, headers: [.contentType: type])

            #expect(answer.status == 201)
        }
    }

    @Test func `an optional body may be absent, and a body for a route without a body is rejected`()
        async throws
    {
        try await SampleGateway.application().test(.router) { client async throws in
            let none = try await client.send(
                .patch, "/v1/account", token: "account", headers: [.ifMatch: "*"])
            let unwanted = try await client.send(.get, "/v1/studies", "{}")

            #expect(none.status == 200)
            #expect(none.text == "null")
            #expect(unwanted.slug == "body-too-large")
        }
    }

    @Test func `gzip works in both directions`() async throws {
        let text = String(repeating: "all work and no play ", count: 1000)
        let small = try Compressor.compress(JSON.object(["text": .string(text)]).bytes, .gzip)

        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(
                .post, "/v1/echo", bytes: small,
                headers: [
                    .contentType: "application/json", .contentEncoding: "gzip",
                    .acceptEncoding: "br, gzip;q=0.5",
                ])

            #expect(answer.status == 201)
            #expect(answer.headers[.contentEncoding] == "gzip")
            #expect(answer.headers[.vary] == "Accept-Encoding")
            #expect(answer.bytes.count < 1000)
            let bytes = try Decompressor.decompress(answer.bytes, .gzip, limit: 100_000)
            #expect(try JSONReader.read(bytes)["text"]?.string == text)
        }
    }

    @Test func `a compressed representation has its own entity tag`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let plain = try await client.send(
                .get, "/v1/studies/walking", headers: [.acceptEncoding: "gzip;q=0"])
            let small = try await client.send(.get, "/v1/studies/walking", headers: [.acceptEncoding: "gzip"])

            #expect(plain.headers[.contentEncoding] == nil)
            #expect(small.headers[.eTag] == plain.headers[.eTag].map { $0.dropLast() + "-gzip\"" })
        }
    }

    @Test func `a small body that decompresses above the limit is rejected`() async throws {
        let bomb = try Compressor.compress([UInt8](repeating: 0x20, count: 50_000_000), .gzip)
        #expect(bomb.count < 60_000)

        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(
                .post, "/v1/echo", bytes: bomb,
                headers: [.contentType: "application/json", .contentEncoding: "gzip"])

            #expect(answer.slug == "body-too-large")
            #expect(answer.json["limit_bytes"] == 65536)
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "gzip, gzip"])
    func `incomplete gzip and other content codings are rejected`(_ encoding: String) async throws {
        let complete = try Compressor.compress(Array(#"{"text":"a"}"#.utf8), .gzip)
        let expected = encoding == "gzip" ? "body-unreadable" : "media-type-unsupported"

        try await SampleGateway.application().test(.router) { client async throws in
            for bytes in [Array(complete.dropLast(5)), complete + [0], [0x1F, 0x8B], Array("{}".utf8)] {
                let answer = try await client.send(
                    .post, "/v1/echo", bytes: bytes,
                    headers: [.contentType: "application/json", .contentEncoding: encoding])
                #expect(answer.slug == expected)
            }
        }
    }

    @Test func `a body at the limit of the route is accepted, above it rejected`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let fits = JSON.object(["text": .string(String(repeating: "a", count: 64 * 1024 - 11))])
            #expect(fits.bytes.count == 64 * 1024)

            #expect(try await client.send(.post, "/v1/echo", fits.text).status == 201)
            #expect(try await client.send(.post, "/v1/echo", fits.text + " ").slug == "body-too-large")
            #expect(
                try await client.send(.post, "/v1/echo", String(repeating: " ", count: 50_000_000)).slug
                    == "body-too-large")
        }
    }

    @Test func `a walk of 16,000 samples is accepted`() async throws {
        let samples = JSON.array((0..<16_000).map { .double(Double($0) / 10) })
        let body = JSON.object(["series": ["speed_kmh": samples, "heart_rate_bpm": samples]])

        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.put, SampleGateway.walk, body.text, token: "account")

            #expect(answer.status == 201)
            #expect(answer.json["account"]?.string == SampleGateway.account.description)
        }
    }

    @Test func `the body is not read before the authentication`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.put, SampleGateway.walk, "not json")

            #expect(answer.slug == "token-invalid")
        }
    }
}
