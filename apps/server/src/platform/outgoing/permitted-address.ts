import ipaddr from 'ipaddr.js';

/** Whether an address may be called. */
export type IsPermitted = (address: string) => boolean;

/**
 * Decision 19: only public addresses are called, and those of networks that the operator allows (`192.168.1.0/24`, or a
 * single address). What is written as another one, such as an IPv4 address inside an IPv6 one, is judged as that.
 *
 * @throws {Error} where a network is none
 */
export function createIsPermitted(allowed: readonly string[]): IsPermitted {
  const networks = allowed.map(networkOf);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const plain = ipaddr.process(address);
    const isAllowed = networks.some(
      ([network, bits]) => network.kind() === plain.kind() && plain.match(network, bits),
    );
    return isAllowed || (plain.range() === 'unicast' && !isCompatible(plain));
  };
}

/** An IPv4 address in the deprecated form `::127.0.0.1` (RFC 4291, 2.5.5.1): no public address is written so. */
function isCompatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv6' && address.match(ipaddr.parse('::'), 96);
}

function networkOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
