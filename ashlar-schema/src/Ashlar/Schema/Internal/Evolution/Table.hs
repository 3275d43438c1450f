{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Table
-- Description : Steps of constant size
--
-- They become a table of numbers: one check of the input, one of the output, and a loop. So do sums
-- whose constructors have parts of constant size that do not change.
--
-- This is not in the module that compiles programs. That is compiled without eta-expansion, and
-- these loops would allocate.
module Ashlar.Schema.Internal.Evolution.Table
  ( -- * Blocks
    Table,
    tableOf,
    runTable,

    -- * Tags
    Tags,
    tagsOf,
    tagRows,
    runTags,
  )
where

import Ashlar.Internal.Get.Core (effect)
import Ashlar.Internal.Get.Fail (invalidAt)
import Ashlar.Internal.Mem (peekHost, peekLE, pokeHost, pokeLE, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent
import Ashlar.Schema.Internal.Evolution.Leaves (bounded)
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output
import Ashlar.Schema.Internal.Types (numberSize)
import Data.Bits (unsafeShiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.List as List
import Data.Primitive.PrimArray
import Data.Word (Word16, Word32, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Float (float2Double)

-- | Steps of constant size, side by side.
data Table = Table
  { -- | How many bytes they read and write.
    _reads :: !Int,
    _writes :: !Int,
    -- | For each step its kind, where to read, where to write, and how many bytes.
    _rows :: !(PrimArray Int),
    -- | The defaults.
    _pool :: !ByteString,
    _entries :: [Entry]
  }

-- A step: its kind, how many bytes it reads, how many it writes, and the bytes of a default.
data Entry = Entry !Int !Int !Int !ByteString

-- | The table of some steps. All are of constant size.
tableOf :: [Op] -> Table
tableOf ops =
  Table
    -- The sum is cut off, as each number is, because those of an untrusted schema could overflow.
    -- No input has as many bytes, so nothing is read then.
    (List.foldl' (\n (Entry _ a _ _) -> bounded (n + a)) 0 entries)
    (sum [b | Entry _ _ b _ <- entries])
    (primArrayFromList (rows 0 0 0 entries))
    (B.concat [bs | Entry _ _ _ bs <- entries])
    entries
  where
    entries = concatMap entriesOf ops
    -- A step that leaves out bytes has no row.
    rows :: Int -> Int -> Int -> [Entry] -> [Int]
    rows !from !to !pooled es = case es of
      [] -> []
      Entry kind a b bs : rest
        | kind == kindSkip -> rows (from + a) to pooled rest
        | kind == kindPut ->
          kind : pooled : to : b : rows from (to + b) (pooled + B.length bs) rest
        | otherwise -> kind : from : to : b : rows (from + a) (to + b) pooled rest

entriesOf :: Op -> [Entry]
entriesOf op = case op of
  Copy n -> [Entry kindCopy n n B.empty]
  Skip n -> [Entry kindSkip n 0 B.empty]
  Put bs -> [Entry kindPut 0 (B.length bs) bs]
  ToDouble -> [Entry kindDouble 4 8 B.empty]
  Widen a b ->
    [ Entry
        (kindWiden + 8 * fromEnum a + fromEnum b)
        (numberSize a)
        (numberSize b)
        B.empty
    ]
  _ -> []

kindCopy, kindSkip, kindPut, kindDouble, kindWiden :: Int
kindCopy = 0
kindSkip = 1
kindPut = 2
kindDouble = 3
kindWiden = 4

-- | Run the steps of a table.
runTable :: Table -> Run
runTable (Table total totalOut rows pool entries) out@(Out o _ _) = do
  p <- needed total
  enough <- effect $ do
    now <- getPtr o outCursor
    end <- getPtr o outEnd
    pure $! end `minusPtr` now >= totalOut
  if enough then pure () else ensureFor (originIn 0 0 entries) total out totalOut
  q <- effect $ do
    q <- getPtr o outCursor
    q <$ withBytesQuick pool (\pooled _ -> doRows rows pooled p q 0)
  advanced (p `plusPtr` total) out (q `plusPtr` totalOut)

doRows :: PrimArray Int -> Ptr Word8 -> Ptr Word8 -> Ptr Word8 -> Int -> IO ()
doRows !rows !pooled !p !q !i
  | i >= sizeofPrimArray rows = pure ()
  | otherwise = do
    let from = indexPrimArray rows (i + 1)
        to = indexPrimArray rows (i + 2)
        n = indexPrimArray rows (i + 3)
    case indexPrimArray rows i of
      0 -> copyFew (q `plusPtr` to) (p `plusPtr` from) n
      2 -> copyFew (q `plusPtr` to) (pooled `plusPtr` from) n
      3 -> do
        x <- peekLE (p `plusPtr` from) :: IO Float
        pokeLE (q `plusPtr` to) (float2Double x)
      kind -> widen (kind - kindWiden) (p `plusPtr` from) (q `plusPtr` to)
    doRows rows pooled p q (i + 4)

-- The byte of the input that a byte of the output comes from.
originIn :: Int -> Int -> [Entry] -> Int -> Int
originIn !from !to es k = case es of
  [] -> from
  Entry kind a b _ : rest
    | k < to + b -> if kind == kindCopy then from + (k - to) else from
    | otherwise -> originIn (from + a) (to + b) rest k

-- Convert a number. The kind has the old one and the new one, of eight each.
widen :: Int -> Ptr Word8 -> Ptr Word8 -> IO ()
widen kind p q = do
  x <- case kind `unsafeShiftR` 3 of
    0 -> fromIntegral <$> (peekLE p :: IO Word8)
    1 -> fromIntegral <$> (peekLE p :: IO Word16)
    2 -> fromIntegral <$> (peekLE p :: IO Word32)
    4 -> fromIntegral <$> (peekLE p :: IO Int8)
    5 -> fromIntegral <$> (peekLE p :: IO Int16)
    6 -> fromIntegral <$> (peekLE p :: IO Int32)
    -- (The others are not widened.)
    _ -> peekLE p :: IO Int64
  -- Write the low bits, as many as the new number has.
  case kind .&. 3 of
    0 -> pokeLE q (fromIntegral x :: Word8)
    1 -> pokeLE q (fromIntegral x :: Word16)
    2 -> pokeLE q (fromIntegral x :: Word32)
    _ -> pokeLE q x
{-# NOINLINE widen #-}

-- | For each old tag of one byte, the new tag, and how many bytes after it are copied.
data Tags = Tags !(PrimArray Word8) !(PrimArray Int)

-- | The tags of a switch. 'Nothing' if one of them needs other steps.
tagsOf :: Int -> [Alternative] -> Maybe Tags
tagsOf width alternatives
  | width /= 1 = Nothing
  | otherwise = tables <$> traverse row alternatives
  where
    tables rows = Tags (primArrayFromList (map fst rows)) (primArrayFromList (map snd rows))
    row alternative = case alternative of
      Accepted [Put bs] | B.length bs == 1 -> Just (B.head bs, 0)
      Accepted [Put bs, Copy n] | B.length bs == 1 -> Just (B.head bs, n)
      _ -> Nothing

-- | For each tag the new one, and how many bytes follow.
tagRows :: Tags -> [(Word8, Int)]
tagRows (Tags tags sizes) = zip (primArrayToList tags) (primArrayToList sizes)

-- | Read a tag and what follows it, and write them. The function makes messages for other tags.
runTags :: (Int -> String) -> Tags -> Run
runTags unknown (Tags tags sizes) out = do
  p <- needed 1
  t <- effect (fromIntegral <$> (peekHost p :: IO Word8))
  if t >= sizeofPrimArray sizes
    then invalidAt p 1 (unknown t)
    else do
      let n = indexPrimArray sizes t
      from <- needed (1 + n)
      to <- reserve True out (1 + n)
      effect $ do
        pokeHost to (indexPrimArray tags t)
        copyFew (to `plusPtr` 1) (from `plusPtr` 1) n
      advanced (from `plusPtr` (1 + n)) out (to `plusPtr` (1 + n))
