{-# LANGUAGE MultiWayIf #-}
-- A loop that allocates nothing could not be interrupted.
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Prim.Base64
-- Description : Base64 in memory, both ways
--
-- "Ashlar.Internal.Prim.Base64Groups" converts whole groups of three bytes and four characters.
-- This module converts a last group that is not whole or has padding. One call handles at most
-- 'mostGroups', as in Note [Foreign copies] in "Ashlar.Internal.Mem".
module Ashlar.Internal.Prim.Base64
  ( Variant (..),
    Alphabet (..),
    mostGroups,
    groupsOf,
    base64Length,
    writeBase64,
    decodedUpTo,
    Refused (..),
    readBase64,
    collectLenient,
    base64Span,
  )
where

import Ashlar.Internal.Mem (copyRange, peekHost, pokeHost)
import Ashlar.Internal.Prim.Alphabet
import Ashlar.Internal.Prim.Base64Groups
import Ashlar.Internal.Prim.Core (timesHigh)
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word32, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | An alphabet, and whether @=@ fills up the last group.
data Variant = Variant {variantAlphabet :: !Alphabet, variantPadded :: !Bool}

-- | The most groups of one foreign call: 64 KiB of characters.
mostGroups :: Int
mostGroups = 16384
{-# INLINE mostGroups #-}

-- | The number of groups of three bytes that n bytes make (n >= 0). The last may not be whole.
groupsOf :: Int -> Int
groupsOf n = if 3 * whole == n then whole else whole + 1
  where
    whole = third n
{-# INLINE groupsOf #-}

-- A third of a number that is not negative, rounded down. (Not by 'quot', for which GHC uses the
-- machine's divide instruction.)
third :: Int -> Int
third n = fromIntegral (timesHigh (fromIntegral n) 0xAAAAAAAAAAAAAAAB `unsafeShiftR` 1)
{-# INLINE third #-}

-- | The number of characters for n bytes (n >= 0), if it fits an 'Int'.
base64Length :: Variant -> Int -> Maybe Int
base64Length v n
  | groups > (maxBound - 4) `quot` 4 = Nothing
  -- Without padding, a character is left out for each byte that the last group lacks.
  | otherwise = Just (4 * groups - (if variantPadded v then 0 else 3 * groups - n))
  where
    groups = groupsOf n

-- | Write n bytes, and return the address after the last character. They must be readable, and four
-- bytes must be writable for each group of three, also for one that is not whole.
writeBase64 :: Variant -> Ptr Word8 -> Ptr Word8 -> Int -> IO (Ptr Word8)
writeBase64 v = go
  where
    alphabet = variantAlphabet v
    go dst src n
      | n >= 3 = do
        -- The groups are readable, and four bytes are writable for each.
        let groups = min mostGroups (third n)
        base64Encode alphabet dst src groups
        go (dst `plusPtr` (4 * groups)) (src `plusPtr` (3 * groups)) (n - 3 * groups)
      | n > 0 = do
        a <- peekHost src
        b <- if n == 2 then peekHost (src `plusPtr` 1) else pure 0
        lastGroup dst n (word a `unsafeShiftL` 16 .|. word b `unsafeShiftL` 8)
      | otherwise = pure dst
    -- One or two bytes, the first of 24 bits.
    lastGroup :: Ptr Word8 -> Int -> Word32 -> IO (Ptr Word8)
    lastGroup dst n w = do
      character dst (w `unsafeShiftR` 18)
      character (dst `plusPtr` 1) (w `unsafeShiftR` 12)
      if n == 2 then character (dst `plusPtr` 2) (w `unsafeShiftR` 6) else pad (dst `plusPtr` 2)
      pad (dst `plusPtr` 3)
      pure (dst `plusPtr` (if variantPadded v then 4 else n + 1))
    character p u = characterOf alphabet (u .&. 63) >>= pokeHost p
    -- Four bytes are writable even if there is no padding.
    pad p = pokeHost p equals
    word :: Word8 -> Word32
    word = fromIntegral

-- | The most bytes that n characters stand for.
decodedUpTo :: Int -> Int
decodedUpTo n = 3 * (n `quot` 4) + n `rem` 4

-- | Why characters are refused, with the index of the first that is.
data Refused
  = -- | A character that is not allowed there.
    WrongCharacter !Int
  | -- | A last character whose unused bits are not zero.
    UnusedBits !Int
  | -- | The end, where a group is not whole.
    CutOff !Int

-- | Decode n characters, and return the address after the last byte. They must be readable, and
-- 'decodedUpTo' n bytes must be writable.
readBase64 :: Variant -> Ptr Word8 -> Ptr Word8 -> Int -> IO (Either Refused (Ptr Word8))
readBase64 v dst0 src0 n = go 0 dst0
  where
    -- The first i characters, which are whole groups, have been decoded.
    go i dst
      | n - i >= 4 = do
        -- The groups are readable, and three bytes are writable for each.
        let groups = min mostGroups ((n - i) `quot` 4)
        good <- base64Decode alphabet dst (src0 `plusPtr` i) groups
        let i' = i + 4 * good
            dst' = dst `plusPtr` (3 * good)
        if good == groups then go i' dst' else lastGroup i' dst'
      | otherwise = lastGroup i dst
    alphabet = variantAlphabet v

    -- A group that has padding, is not whole, or has other characters.
    lastGroup i dst = units i 0 0
      where
        -- The next character is at j. The group has q characters so far, with the value w.
        units :: Int -> Int -> Word32 -> IO (Either Refused (Ptr Word8))
        units j q w
          | j == n =
            if q == 0
              then pure (Right dst)
              else
                if q == 1 || variantPadded v
                  then pure (Left (CutOff j))
                  else ending j q w (pure . Right)
          | otherwise = do
            c <- peekHost (src0 `plusPtr` j)
            case unitOf alphabet c of
              -- Four characters are a whole group, which has been decoded.
              u | u < 64 && q < 3 -> units (j + 1) (q + 1) (w `unsafeShiftL` 6 .|. u)
              _
                | variantPadded v && c == equals && q >= 2 ->
                  ending j q w (\end -> padding (j + 1) (3 - q) end)
              _ -> pure (Left (WrongCharacter j))
        -- The characters of the group end at j.
        ending j q w continue
          | q == 2 =
            if w .&. 15 /= 0
              then pure (Left (UnusedBits (j - 1)))
              else do
                pokeHost dst (fromIntegral (w `unsafeShiftR` 4) :: Word8)
                continue (dst `plusPtr` 1)
          | w .&. 3 /= 0 = pure (Left (UnusedBits (j - 1)))
          | otherwise = do
            pokeHost dst (fromIntegral (w `unsafeShiftR` 10) :: Word8)
            pokeHost (dst `plusPtr` 1) (fromIntegral (w `unsafeShiftR` 2) :: Word8)
            continue (dst `plusPtr` 2)
        -- Read more characters of padding, and then the end.
        padding :: Int -> Int -> Ptr Word8 -> IO (Either Refused (Ptr Word8))
        padding j 0 end = pure (if j == n then Right end else Left (WrongCharacter j))
        padding j more end
          | j == n = pure (Left (CutOff j))
          | otherwise = do
            c <- peekHost (src0 `plusPtr` j)
            if c == equals then padding (j + 1) (more - 1) end else pure (Left (WrongCharacter j))

-- | Copy those of n characters that are in the alphabet, up to the first valid padding. The unused
-- bits of the last character are made zero, and a last character that makes no byte is left out. So
-- 'readBase64' without padding accepts the copy. Returns the number of characters. n characters
-- must be readable, and n bytes writable.
collectLenient :: Alphabet -> Ptr Word8 -> Ptr Word8 -> Int -> IO Int
collectLenient alphabet dst src n = run 0 0
  where
    -- The first i characters have been examined, and m of them copied. A run of those that are in
    -- the alphabet.
    run :: Int -> Int -> IO Int
    run i m = do
      len <- base64Span alphabet (src `plusPtr` i) (n - i)
      copyRange (dst `plusPtr` m) (src `plusPtr` i) len
      let i' = i + len
          m' = m + len
      single 0 i' m'
    -- One after the other, until there are eight in a row. (For short runs, the calls would take
    -- most of the time.)
    single :: Int -> Int -> Int -> IO Int
    single inRow i m
      | i == n = ended m
      | inRow == 8 = run i m
      | otherwise = do
        c <- peekHost (src `plusPtr` i)
        if
            | unitOf alphabet c < 64 ->
              pokeHost (dst `plusPtr` m) c >> single (inRow + 1) (i + 1) (m + 1)
            | c == equals && m .&. 3 >= 2 -> ended m
            | otherwise -> single 0 (i + 1) m
    ended m = case m .&. 3 of
      0 -> pure m
      1 -> pure (m - 1)
      k -> do
        let p = dst `plusPtr` (m - 1)
        u <- unitOf alphabet <$> peekHost p
        characterOf alphabet (u .&. (if k == 2 then 0x30 else 0x3C)) >>= pokeHost p
        pure m

-- | The number of leading characters of the alphabet among n, which must be readable.
base64Span :: Alphabet -> Ptr Word8 -> Int -> IO Int
base64Span alphabet p n = go 0
  where
    go i
      | i == n = pure n
      | otherwise = do
        let len = min 65536 (n - i)
        k <- base64Characters alphabet (p `plusPtr` i) len
        if k == len then go (i + len) else pure (i + k)

equals :: Word8
equals = 0x3D
