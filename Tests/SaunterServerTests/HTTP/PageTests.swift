import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct PageTests {
    @Test(arguments: [[], [""], ["1", "ä/+ ?&"], ["\u{1F600}", "\"]"]])
    func `a cursor survives encoding and decoding`(_ parts: [String]) {
        let cursor = Cursor(parts)

        #expect(Cursor(cursor.text) == cursor)
        #expect(cursor.text.utf8.allSatisfy { (48...57).contains($0) || (65...122).contains($0) || $0 == 45 })
    }

    @Test(arguments: [
        "", "a", "====", "W10=", "!!!", "bnVsbA", "WzFd", "eyJhIjoxfQ", "WyJhIl0\n",
        String(repeating: "W", count: 600),
    ])
    func `a text in another format is not a cursor`(_ text: String) {
        #expect(Cursor(text) == nil)
    }

    @Test func `the links to the next pages keep the query parameters`() async throws {
        let day = 86_400
        let (from, to) = (ServerFixture.now.adding(seconds: day), ServerFixture.now.adding(seconds: 4 * day))

        try await ServerFixture.withParticipant { ada async throws in
            let query = ada.own("/occasions?from=\(from)&to=\(to)")
            let whole = try await ada.get("\(query)&limit=1000").json["items"]?.array ?? []
            var (seen, next) = ([JSON](), Optional("\(query)&limit=1"))
            while let address = next {
                let page = try await ada.get(address)
                let items = page.json["items"]?.array ?? []
                try #require(items.count == 1)
                seen += items
                next = page.headers[.link]?
                    .firstMatch(of: /<https:\/\/s\.example(.+?)>; rel="next"/).map { String($0.1) }
            }

            #expect(seen.count > 2)
            #expect(seen.map { $0["occasion_id"] } == whole.map { $0["occasion_id"] })
        }
    }

    @Test func `the last page has no next cursor`() {
        let reply = Reply.page([1, 2], next: nil, path: "/x", publicURL: "https://s.example")

        #expect(reply.headers[.link] == nil)
        guard case .json(let body) = reply.body else {
            Issue.record("no JSON")
            return
        }
        #expect(body == ["items": .array([1, 2]), "next": nil])
        #expect(Schema.page(of: .integer()).faults(in: body).isEmpty)
    }
}
