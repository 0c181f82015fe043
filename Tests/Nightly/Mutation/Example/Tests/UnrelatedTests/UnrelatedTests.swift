import Testing
import Unrelated

struct UnrelatedTests {
    @Test func `it is true`() { #expect(unrelated()) }
}
