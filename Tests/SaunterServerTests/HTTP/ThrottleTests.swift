import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ThrottleTests {
    private static let start = Instant("2026-11-21T08:00:00Z")!
    private static let allowance = Allowance("login", count: 5, perSeconds: 300)

    @Test func `a burst is allowed, then one per interval`() async {
        let throttle = Throttle(Self.allowance)
        let key = ThrottleKey.email("a@b.de")
        var allowed: [Int] = []

        // An attempt every 10 seconds for ten minutes.
        for second in stride(from: 0, through: 600, by: 10) {
            let decision = await throttle.attempt(key, now: Self.start.adding(seconds: second))
            if decision.isAllowed { allowed.append(second) }
        }

        #expect(allowed == [0, 10, 20, 30, 40, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600])
    }

    @Test func `an attempt after the required wait is allowed, an earlier one is not`() async throws {
        let throttle = Throttle(Self.allowance)
        let key = ThrottleKey.email("a@b.de")
        for _ in 0..<5 { _ = await throttle.attempt(key, now: Self.start) }

        let rejected = await throttle.attempt(key, now: Self.start.adding(seconds: 7))
        let wait = try #require(rejected.retryAfter)
        let early = await throttle.attempt(key, now: Self.start.adding(seconds: 7 + wait - 1))
        let late = await throttle.attempt(key, now: Self.start.adding(seconds: 7 + wait))

        #expect(wait == 53)
        #expect(!early.isAllowed)
        #expect(late.isAllowed)
    }

    @Test func `rejected attempts do not extend the wait`() async {
        let throttle = Throttle(Self.allowance)
        let key = ThrottleKey.email("a@b.de")
        for _ in 0..<1000 { _ = await throttle.attempt(key, now: Self.start) }

        #expect(await throttle.attempt(key, now: Self.start.adding(seconds: 60)).isAllowed)
    }

    @Test func `a clock that is set back does not extend the wait`() async {
        let throttle = Throttle(Self.allowance)
        let key = ThrottleKey.email("a@b.de")
        for _ in 0..<5 { _ = await throttle.attempt(key, now: Self.start) }

        let decision = await throttle.attempt(key, now: Self.start.adding(seconds: -3600))

        #expect(!decision.isAllowed)
        #expect(await throttle.attempt(key, now: Self.start.adding(seconds: 300)).isAllowed)
    }

    @Test func `a clock that was years ahead for a moment does not extend the wait after it is corrected`()
        async throws
    {
        let throttle = Throttle(Self.allowance)
        let key = ThrottleKey.email("a@b.de")
        for _ in 0..<5 { _ = await throttle.attempt(key, now: Self.start.adding(seconds: 10 * 365 * 86_400)) }

        let rejected = await throttle.attempt(key, now: Self.start)
        let wait = try #require(rejected.retryAfter)

        #expect(wait <= 60)
        #expect(await throttle.attempt(key, now: Self.start.adding(seconds: wait)).isAllowed)
    }

    @Test
    func `keys are counted separately, but letter case and the addresses of one IPv6 network are ignored`()
        throws
    {
        #expect(ThrottleKey.email("A@B.de") == .email("a@b.de"))
        #expect(ThrottleKey.email("a@b.de") != .email("c@b.de"))
        #expect(ThrottleKey.address(IPAddress("2001:db8::1")) == .address(IPAddress("2001:db8::ffff:1")))
        #expect(ThrottleKey.address(IPAddress("2001:db8::1")) != .address(IPAddress("2001:db8:0:1::1")))
        #expect(ThrottleKey.address(IPAddress("192.0.2.1")) != .address(IPAddress("192.0.2.2")))
        #expect(ThrottleKey.address(nil) != .address(IPAddress("0.0.0.0")))
    }

    @Test func `logins are counted by account, password and network`() throws {
        func key(_ email: String, _ hash: String?, _ address: String) -> ThrottleKey {
            .logins(email: email, passwordHash: hash, from: IPAddress(address))
        }
        let key0 = key("a@b.de", "h", "2001:db8::1")

        #expect(key0 == key("A@B.de", "h", "2001:db8::2"))
        #expect(key0 != key("c@b.de", "h", "2001:db8::1"))
        #expect(key0 != key("a@b.de", "h", "2001:db8:0:1::1"))
        #expect(key0 != key("a@b.de", "new", "2001:db8::1"))
        #expect(key0 != key("a@b.de", nil, "2001:db8::1"))
    }

    @Test func `the number of keys is limited, and the key with most attempts stays`() async {
        let throttle = Throttle(Self.allowance, maximumKeys: 1000)
        let attacked = ThrottleKey.email("victim@b.de")
        for _ in 0..<5 { _ = await throttle.attempt(attacked, now: Self.start) }

        for number in 0..<20_000 {
            _ = await throttle.attempt(
                .email("\(number)@b.de"), now: Self.start.adding(milliseconds: Int64(number)))
        }

        #expect(await throttle.count <= 1000)
        #expect(await !throttle.attempt(attacked, now: Self.start.adding(seconds: 20)).isAllowed)
    }

    @Test func `a successful login clears the key`() async {
        let throttle = Throttle(Self.allowance)
        let key = ThrottleKey.email("a@b.de")
        for _ in 0..<6 { _ = await throttle.attempt(key, now: Self.start) }

        await throttle.clear(key)

        #expect(await throttle.attempt(key, now: Self.start).isAllowed)
    }

    @Test func `a rejection says when to try again`() async {
        let throttle = Throttle(Allowance("login", count: 1, perSeconds: 60))
        let key = ThrottleKey.address(nil)
        await #expect(throws: Never.self) { try await throttle.admit(key, now: Self.start) }

        let problem = await #expect(throws: Problem.self) {
            try await throttle.admit(key, now: Self.start.adding(milliseconds: 500))
        }

        #expect(problem?.type == .tooManyRequests)
        #expect(problem?.retryAfter == 60)
        #expect(problem?.headers[.rateLimitPolicy] == #""login";q=1;w=60"#)
        #expect(problem?.headers[.rateLimit] == #""login";r=0;t=60"#)
    }
}
