import Orders
import Testing

/// No test has an order of exactly 5000 cents, so mutants of this limit survive.
struct OrderTests {
    @Test func `a member pays less for a large order`() {
        #expect(Order(cents: 10_000, isMember: true).total == 9000)
    }

    @Test func `a member pays the full price of a small order`() {
        #expect(Order(cents: 3000, isMember: true).total == 3000)
    }

    @Test func `other customers pay the full price`() {
        #expect(Order(cents: 10_000, isMember: false).text == "EUR 10000")
    }
}
