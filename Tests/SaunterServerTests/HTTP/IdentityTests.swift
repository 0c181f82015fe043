import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct IdentityTests {
    private static func identity(_ role: Role) -> Identity {
        Identity(
            account: AccountID(UUID()), family: UUID(), grants: [Grant(role: role, study: "walks")])
    }

    @Test(arguments: [
        (Role.researcher, [Role.researcher]), (.coordinator, [.researcher, .coordinator]),
        (.editor, [.editor]),
        (.admin, [.coordinator, .editor, .admin]),
    ])
    func `a role includes other roles of its study`(granted: Role, included: [Role]) {
        let identity = Self.identity(granted)

        #expect(Role.allCases.filter { identity.grant($0, study: "walks") != nil } == included)
        #expect(Role.allCases.allSatisfy { identity.grant($0, study: "other") == nil })
    }
}
