import Crypto
import Foundation
import SaunterCore

/// Where and how one device of a person is reached by Web Push: what its browser's `PushSubscription` says of itself.
package struct PushSubscription: Sendable, Hashable {
    /// The push service's address for this device. Whoever knows it may try to send there, so it is a secret.
    package let endpoint: OutwardURL
    /// The device's P-256 key, uncompressed: 65 bytes.
    package let publicKey: [UInt8]
    /// The secret that device and sender share: 16 bytes.
    package let secret: [UInt8]

    /// Reads `{endpoint, keys: {p256dh, auth}}`.
    /// - Throws: every fault at once, with its place in the body.
    package init(_ body: JSON, rule: OutwardRule) throws(Faults) {
        var faults: [Fault] = []
        func bytes(_ name: String, _ count: Int) -> [UInt8]? {
            let text = body["keys"]?[name]?.string?.trimmingSuffix { $0 == "=" } ?? ""
            guard let data = Data(base64URL: String(text)), data.count == count else {
                faults.append(
                    Fault(
                        pointer: "/keys/\(name)", code: "wrong_format",
                        detail: "It is \(count) bytes in base64url."))
                return nil
            }
            return Array(data)
        }
        let endpoint = body["endpoint"]?.string.flatMap { OutwardURL($0) }
        if let endpoint {
            if !rule.mayAllow(endpoint) {
                faults.append(
                    Fault(
                        pointer: "/endpoint", code: "address_refused",
                        detail: "This server calls nobody at that address."))
            }
        } else {
            faults.append(
                Fault(
                    pointer: "/endpoint", code: "wrong_format",
                    detail: "It is an https URL of at most \(OutwardURL.mostBytes) bytes."))
        }
        let point = bytes("p256dh", 65)
        if let point, (try? P256.KeyAgreement.PublicKey(x963Representation: point)) == nil {
            faults.append(
                Fault(
                    pointer: "/keys/p256dh", code: "wrong_format",
                    detail: "It is an uncompressed point of the curve P-256."))
        }
        let secret = bytes("auth", 16)
        guard faults.isEmpty, let endpoint, let point, let secret else { throw Faults(faults) }
        self.endpoint = endpoint
        publicKey = point
        self.secret = secret
    }

    /// As it is stored and read again.
    package var json: JSON {
        [
            "endpoint": .string(endpoint.text),
            "keys": [
                "p256dh": .string(Data(publicKey).base64URL), "auth": .string(Data(secret).base64URL),
            ],
        ]
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var rest = self[...]
        while let last = rest.last, predicate(last) { rest = rest.dropLast() }
        return rest
    }
}
