import Testing

@testable import SaunterStore

@Suite struct PasswordHashingTests {
    @Test func `a password that was hashed is verified`() async throws {
        let hashing = try PasswordHashing(threads: 1)

        let hash = try await hashing.hash("correct horse")

        #expect(try await hashing.verify("correct horse", against: hash))
        #expect(try await !hashing.verify("wrong horse", against: hash))
    }

    @Test func `an account that does not exist costs the same hash as a wrong password`() async throws {
        let hashing = try PasswordHashing(threads: 1)
        let hash = try await hashing.hash("correct horse")
        let before = hashing.done

        #expect(try await !hashing.verify("x", against: nil))
        let unknown = hashing.done - before
        #expect(try await !hashing.verify("x", against: hash))
        let wrong = hashing.done - before - unknown

        #expect(unknown == 1)
        #expect(wrong == 1)
        // Made with today's memory and passes, as the hashes of people are.
        #expect(!hashing.decoy.needsRehash)
    }

    @Test func `beyond the queue callers are told at once`() async throws {
        let hashing = try PasswordHashing(threads: 1, maximumWaiting: 2)

        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 {
                group.addTask { (try? await hashing.hash("correct horse")) != nil }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        let done = outcomes.filter { $0 }.count
        #expect(done >= 3)
        #expect(done < 12)
        #expect(hashing.waiting == 0)
        #expect(try await !hashing.verify("x", against: nil))
    }

    @Test func `many are hashed when the queue has room`() async throws {
        let hashing = try PasswordHashing(threads: 2, maximumWaiting: 100)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in 0..<20 {
                group.addTask {
                    let hash = try await hashing.hash("password \(place)")
                    #expect(try await hashing.verify("password \(place)", against: hash))
                }
            }
            try await group.waitForAll()
        }
    }
}
