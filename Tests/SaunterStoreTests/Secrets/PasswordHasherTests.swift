import Testing

@testable import SaunterStore

@Suite struct PasswordHasherTests {
    @Test func `a hashed password is verified`() async throws {
        let hashing = try PasswordHasher(threads: 1)

        let hash = try await hashing.hash("correct horse")

        #expect(try await hashing.verify("correct horse", against: hash))
        #expect(try await !hashing.verify("wrong horse", against: hash))
    }

    @Test func `an account that does not exist costs the same hash as a wrong password`() async throws {
        let hashing = try PasswordHasher(threads: 1)
        let hash = try await hashing.hash("correct horse")
        let before = hashing.done

        #expect(try await !hashing.verify("x", against: nil))
        let unknown = hashing.done - before
        #expect(try await !hashing.verify("x", against: hash))
        let wrong = hashing.done - before - unknown

        #expect(unknown == 1)
        #expect(wrong == 1)
        // With the current memory and passes, like stored hashes.
        #expect(!hashing.decoy.needsRehash)
    }

    @Test func `callers beyond the limit of the queue fail at once`() async throws {
        let hashing = try PasswordHasher(threads: 1, maximumWaiting: 2)

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

    @Test func `many passwords are hashed if the queue has room`() async throws {
        let hashing = try PasswordHasher(threads: 2, maximumWaiting: 100)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let hash = try await hashing.hash("password \(index)")
                    #expect(try await hashing.verify("password \(index)", against: hash))
                }
            }
            try await group.waitForAll()
        }
    }
}
