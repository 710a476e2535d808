// SPDX-License-Identifier: Apache-2.0

internal import CRoostTLS

/// The certificates that one end of TLS trusts and presents; usable for any number of connections.
///
/// - Invariant: Never changed after `init`; OpenSSL counts references to it under its own lock.
///   `@unchecked Sendable` relies on that.
@safe package final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer
    let isServer: Bool

    private init(handle: OpaquePointer, isServer: Bool) {
        unsafe self.handle = unsafe handle
        self.isServer = isServer
    }

    deinit {
        // SAFETY: this object owns one reference; connections own theirs.
        unsafe SSL_CTX_free(handle)
    }

    /// Returns the context of a client that verifies the server's certificate and its host name.
    ///
    /// The call reads files, so make the context in advance and keep it.
    ///
    /// - Parameter extraAuthoritiesFile: PEM certificates to trust beside the system's own.
    /// - Returns: A context for any number of connections.
    /// - Throws: `.certificateUnusable` if the file cannot be read.
    package static func client(
        extraAuthoritiesFile: String? = nil
    ) throws(SocketError) -> TLSContext {
        let context = try make(isServer: false)
        // SAFETY: the context is open, and OpenSSL copies the path.
        unsafe SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
        unsafe SSL_CTX_set_default_verify_paths(context.handle)
        if let file = extraAuthoritiesFile,
            unsafe SSL_CTX_load_verify_locations(context.handle, file, nil) != 1
        {
            throw SocketError(
                .certificateUnusable,
                "The file of extra certificate authorities cannot be used "
                    + "(\(openSSLReason())); give one with certificates in PEM form.")
        }
        return context
    }

    /// Returns the context of a server with its certificate.
    ///
    /// - Parameters:
    ///   - certificateChainFile: PEM, the server's own certificate first.
    ///   - privateKeyFile: PEM, the certificate's key, without a passphrase.
    /// - Returns: A context for any number of connections.
    /// - Throws: `.certificateUnusable` if a file cannot be read or the two do not belong together.
    package static func server(
        certificateChainFile: String, privateKeyFile: String
    ) throws(SocketError) -> TLSContext {
        let context = try make(isServer: true)
        // SAFETY: the context is open, and OpenSSL copies the paths.
        guard unsafe SSL_CTX_use_certificate_chain_file(context.handle, certificateChainFile) == 1
        else {
            throw SocketError(
                .certificateUnusable,
                "The certificate file cannot be used (\(openSSLReason())); give a chain in PEM "
                    + "form, the server's own certificate first.")
        }
        guard
            unsafe SSL_CTX_use_PrivateKey_file(context.handle, privateKeyFile, SSL_FILETYPE_PEM)
                == 1,
            unsafe SSL_CTX_check_private_key(context.handle) == 1
        else {
            throw SocketError(
                .certificateUnusable,
                "The private key cannot be used (\(openSSLReason())); give the PEM key that belongs "
                    + "to the certificate, without a passphrase.")
        }
        return context
    }

    /// The context with the system's trusted certificates, shared by all clients without a context
    /// of their own.
    package static let systemTrust: Result<TLSContext, SocketError> = {
        do throws(SocketError) { return .success(try client()) } catch { return .failure(error) }
    }()

    private static func make(isServer: Bool) throws(SocketError) -> TLSContext {
        roost_tls_prepare()
        // SAFETY: plain constructors; the object created from the new context owns it.
        ERR_clear_error()
        guard
            let handle = unsafe SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method())
        else {
            throw SocketError(.tlsFailure, "OpenSSL could not be set up (\(openSSLReason())).")
        }
        let context = unsafe TLSContext(handle: handle, isServer: isServer)
        unsafe roost_tls_require_1_2(handle)
        unsafe roost_tls_harden(handle)
        return context
    }
}

/// Returns OpenSSL's description of the last failure on this thread, and clears its list of errors.
func openSSLReason() -> String {
    // SAFETY: reasons are static strings, copied at once.
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let text = unsafe ERR_reason_error_string(code) else {
        return "no reason given"
    }
    return unsafe String(cString: text)
}
