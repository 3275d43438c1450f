-- |
-- Module      : Tests.Checked
-- Description : A checked build finds what is wrong
--
-- Each test breaks one invariant on purpose. An ordinary build would not notice and might crash, so
-- there the group does not exist.
module Tests.Checked (tests) where

import Ashlar.Builder
import qualified Ashlar.Builder.Prim as P
import qualified Ashlar.Builder.Prim.Unsafe as P
import qualified Ashlar.Builder.Unsafe as Unsafe
import qualified Ashlar.Get as G
import Ashlar.Internal.Builder.Bytes (inBatches)
import qualified Ashlar.Internal.Builder.Core as Core
import Ashlar.Internal.Codec.Fixed (fixedRaw, putFixed)
import qualified Ashlar.Internal.Get.Core as Get
import qualified Ashlar.Internal.Get.Env as Env
import Ashlar.Internal.Get.Path (Names (Nameless))
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Ashlar.Internal.Prim.Hex (hexPair)
import Control.Exception (AssertionFailed (..), evaluate, try)
import Control.Monad (forM_, void)
import qualified Data.ByteString as S
import Data.List (isPrefixOf)
import Data.Primitive.ByteArray (newByteArray)
import qualified Data.Vector.Unboxed.Mutable as UM
import Foreign hiding (void)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests = testGroup "a checked build finds" (if checkedBuild then violations else [])

violations :: [TestTree]
violations =
  [ testGroup
      "primitives"
      [ violates "bound" "a byte stored after the bound" $
          written (P.primBounded (P.boundedPrim 2 (\x p -> 2 `from` p <$ stores 3 x p)) 7),
        violates "bound" "a byte stored after the bound, which a later write covers" $
          let wrong = P.boundedPrim 1 (\x p -> 1 `from` p <$ stores 2 x p)
           in written (P.primBounded (wrong P.>*< wrong) (7, 7)),
        violates "bound" "a byte stored before the address" $
          written (P.primFixed (P.fixedPrim 1 (\x p -> poke p x >> pokeByteOff p (-1) x)) 7),
        violates "bound" "an address after the bound" $
          written (P.primBounded (P.boundedPrim 2 (\x p -> 3 `from` p <$ stores 2 x p)) 7),
        violates "bound" "an address before the first byte" $
          written (P.primBounded (P.boundedPrim 2 (\_ p -> pure (p `plusPtr` (-1)))) (7 :: Word8)),
        violates "bound" "a byte that is not written" $
          written (P.primFixed (P.fixedPrim 3 (stores 2)) 7),
        violates "bound" "the same in a list" $
          written (P.primMapListFixed (P.fixedPrim 1 (stores 2)) [1 .. 9]),
        violates "bound" "the same in a ByteString" $
          written (P.primMapByteStringFixed (P.fixedPrim 1 (stores 2)) (S.replicate 9 1)),
        violates "bound" "a fixed format that writes too much" $
          written (putFixed (fixedRaw 1 Nameless (\p x -> stores 2 x p) (\_ -> pure 0)) 7),
        violates "in the table" "a number that is no byte" $ evaluate (hexPair 256)
      ],
    testGroup
      "builders"
      [ violates "INV-B2" "more bytes than reserved" $
          written (Unsafe.ensure 1 (\p -> 2 `from` p <$ stores 2 7 p)),
        violates "INV-B2" "more bytes stored than reserved" $
          written (Unsafe.ensure 1 (\p -> 1 `from` p <$ stores 2 7 p)),
        violates "INV-B2" "the same in a shared reservation" $
          written (Core.ensureShared 1 (\p -> 1 `from` p <$ stores 2 7 p)),
        violates "INV-B1, INV-G1" "a cursor after the end" $
          written . Core.action $ \c _ ->
            getPtr c Core.endCell >>= \e -> putPtr c Core.cursorCell (e `plusPtr` 1),
        violates "reserved" "a negative reservation" $
          written (Core.action (\c k -> void (Core.reserve c k (-1)))),
        violates "batch" "a batch of more units than there are" $
          written . Core.action $ \c k ->
            inBatches c k 2 1 id (\_ _ -> 3) (\p _ n -> pure (n `from` p)),
        violates "batch" "a batch that is larger than the free space" $
          written . Core.action $ \c k ->
            inBatches c k 1000 1 id (\_ _ -> 1000) (\p _ n -> pure (n `from` p)),
        violates "in the chunk" "a slice up to after the buffer" $ do
          buffer <- newBuffer 8
          withForeignPtr buffer $ \start ->
            evaluate (S.length (sliceBuffer buffer start (start `plusPtr` 9)))
      ],
    testGroup
      "decoders"
      [ violates "INV-G1" "a negative demand" $
          decoded (Get.need (-1)),
        violates "INV-G1" "a step over the end" $
          decoded (Get.advance >> Get.advance >> Get.advance),
        violates "INV-G1" "a byte after the end" $ decoded (G.skip 2 >> void Get.takeByte),
        violates "INV-B1, INV-G1" "a cursor after the end" $
          decoded . Get.step $ \c _ -> do
            e <- getPtr c Env.endCell
            putPtr c Env.cursorCell (e `plusPtr` 1)
            void (getPtr c Env.cursorCell),
        violates "in the chunk" "more bytes than there are" $
          evaluate (S.length (unsafeTake 4 (S.pack [1 .. 3]))),
        violates "in the chunk" "fewer bytes than none" $
          evaluate (S.length (unsafeDrop (-1) (S.pack [1 .. 3])))
      ],
    testGroup
      "memory"
      [ violates "INV-M1" "an address read as a number" $
          withCells 1 (\c -> putPtr c (Cell 0) nullPtr >> getInt c (Cell 0)),
        violates "INV-M1" "a number over an address" $
          withCells 1 (\c -> putPtr c (Cell 0) nullPtr >> putInt c (Cell 0) 1),
        violates "INV-M1" "a cell that was not written" $ withCells 2 (\c -> getInt c (Cell 1)),
        violates "INV-M1" "a cell that is not there" $ withCells 2 (\c -> putInt c (Cell 2) 1),
        violates "own memory" "a copy over itself" $
          allocaBytes 8 (\p -> copyRange (p `plusPtr` 1) p 2),
        violates "own memory" "a copy of a negative length" $
          allocaBytes 8 (\p -> copyRange p (p `plusPtr` 4) (-1)),
        violates "own memory" "a short copy that is long" $
          allocaBytes 64 (\p -> copyShort p (p `plusPtr` 32) 17),
        violates "own memory" "a copy to after an array" $ do
          array <- newByteArray 8
          allocaBytes 8 (\p -> copyToArray array 1 p 8),
        violates "in slots" "an element after a vector" $ do
          v <- UM.new 3
          unsafeWrite v 3 (0 :: Word8)
      ]
  ]

-- | In a checked build, the action throws, and names this invariant.
violates :: String -> TestName -> IO a -> TestTree
violates name label act = testCase label $ do
  outcome <- try act
  case outcome of
    Left (AssertionFailed found) ->
      assertBool found (("Ashlar: invariant violated: " ++ name ++ ": ") `isPrefixOf` found)
    Right _ -> assertFailure "nothing was found"

written :: Builder -> IO Int
written b = evaluate (S.length (toStrictByteString b))

-- | A run on two bytes.
decoded :: G.Get () -> IO ()
decoded g = evaluate (either (const ()) id (G.runGet g (S.pack [1, 2])))

-- | Store n bytes.
stores :: Int -> Word8 -> Ptr Word8 -> IO ()
stores n x p = forM_ [0 .. n - 1] (\i -> pokeByteOff p i x)

from :: Int -> Ptr Word8 -> Ptr Word8
from n p = p `plusPtr` n
