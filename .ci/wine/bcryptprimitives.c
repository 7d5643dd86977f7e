/* The one function of bcryptprimitives.dll that Rust programs need. Wine before 8.13 does not have it. */

#include <windows.h>

/* RtlGenRandom in advapi32.dll. */
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) {
    return SystemFunction036(buffer, (ULONG)size);
}
